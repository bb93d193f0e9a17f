// Loaded into Playwright's driver before it starts. The driver keeps 10,000 requests of pages with
// their responses, and so does its client: 15 KB each there. A tab's log needs the newest 1,000.
const path = require("node:path");

const LIMIT = 2000;

try {
  const library = path.join(path.dirname(process.argv[1]), "lib");
  require(path.join(library, "bootstrap"));
  const { prototype } = require(path.join(library, "coreBundle")).server.DispatcherConnection;
  const dispose = prototype.maybeDisposeStaleDispatchers;
  prototype.maybeDisposeStaleDispatchers = function (bucket) {
    const known = bucket === "Request" ? this._dispatchersByBucket.get(bucket) : undefined;
    if (known?.size > LIMIT) {
      for (const id of [...known].slice(0, LIMIT / 10)) this._dispatcherByGuid.get(id)?._dispose("gc");
    }
    return dispose.call(this, bucket);
  };
} catch {
  // Another version of Playwright: its own limit applies.
}
