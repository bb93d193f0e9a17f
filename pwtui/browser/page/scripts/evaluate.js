// Run the user's source: a function (called with the argument), an expression, or statements.
// Compiling decides which of the three it is; only a SyntaxError asks for the next.
// An error is returned as a value, which identifies it as an error of the user's source. A result
// is wrapped, too, unless it is a simple value: a needless object or promise would double the cost.
({ source, argument, depth, limit }) => {
  const Compiled = /\bawait\b/.test(source) ? (async () => {}).constructor : Function;
  const compile = () => {
    try {
      return new Compiled("arg", `return (${source}\n)`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    try {
      // A trailing semicolon does not make an expression worthless.
      return new Compiled("arg", `return (${source.replace(/[;\s]+$/, "")}\n)`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    const statements = new Compiled("arg", source);
    // Statements without return have the value of the last one, as in the browser's console.
    if (/\b(?:return|await)\b/.test(source)) return statements;
    return new Function("arg", `return eval(${JSON.stringify(source)})`);
  };
  const isContainer = (value) =>
    Array.isArray(value) || (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype);
  const tag = (value) => Object.prototype.toString.call(value);
  const isNode = (value) => typeof value.nodeType === "number" && typeof value.nodeName === "string";
  // What Playwright sends as nothing, or as a mere name.
  const isOdd = (value) =>
    value !== null && typeof value === "object" && (/ (?:Map|Set|Window)]$/.test(tag(value)) || isNode(value));
  const described = (node) => {
    if (node.nodeType === 9) return `#document ${node.URL}`;
    if (node.nodeType !== 1) return `${node.nodeName} ${node.nodeValue ?? ""}`.trim();
    const attributes = [...node.attributes].map((each) => ` ${each.name}="${each.value}"`);
    return `<${node.localName}${attributes.join("")}>`;
  };
  // At least so many bytes are sent for a value, without what it contains.
  const sizeOf = (value) => (typeof value === "string" ? value.length : (value?.byteLength ?? 1));
  const isJson = (value) =>
    value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  // Whether the value holds something odd, or is nested deeper than it can be sent, its size, and
  // whether it is the same as JSON; level by level, so that nothing recurses. Sending what is too
  // large would take minutes.
  const survey = (value) => {
    if (isOdd(value)) return { needsCopy: true };
    const seen = new Set();
    let level = [value];
    let size = sizeOf(value);
    let asJson = isContainer(value);
    for (let i = 0; i <= depth; i++) {
      const next = [];
      for (const each of level) {
        if (seen.has(each)) {
          asJson = false;
          continue;
        }
        seen.add(each);
        for (const item of isContainer(each) ? Object.values(each) : []) {
          if (isOdd(item)) return { needsCopy: true };
          if (isContainer(item)) next.push(item);
          else asJson &&= isJson(item);
          size += sizeOf(item);
        }
        if (size > limit) return { needsCopy: false, size };
      }
      if (!next.length) return { needsCopy: false, size, asJson };
      level = next;
    }
    return { needsCopy: true };
  };
  // Libraries once added `toJSON` to arrays and strings.
  const changesJson = () => [Object, Array, String, Number, Boolean].some((each) => each.prototype.toJSON);
  const cut = (value, left, around) => {
    if (isOdd(value)) {
      if (isNode(value)) return described(value);
      if (tag(value) === "[object Window]") return `Window ${value.location.href}`;
      value = tag(value) === "[object Set]" ? [...value] : Object.fromEntries(value);
    }
    if (!isContainer(value)) return value;
    if (around.includes(value)) return "[Circular]";
    if (left === 0) return "[Too deep]";
    const inside = [...around, value];
    if (Array.isArray(value)) return value.map((item) => cut(item, left - 1, inside));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, left - 1, inside)]));
  };
  const textOf = (value) => {
    try {
      return String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  const returned = (value) => {
    if (value === undefined) return { ok: true, value: null, isUndefined: true };
    if (typeof value === "string" && value.length > limit) return { ok: false, size: value.length };
    if (value === null || typeof value === "string" || typeof value === "number") return value;
    if (value instanceof RegExp) value = String(value);
    let { needsCopy, size, asJson } = survey(value);
    if (needsCopy) {
      value = cut(value, depth, []);
      ({ size, asJson } = survey(value));
    }
    if (size > limit) return { ok: false, size };
    if (!asJson || changesJson()) return { ok: true, value };
    // Many times faster than the way in which Playwright sends objects.
    const json = JSON.stringify(value);
    return json.length > limit ? { ok: false, size: json.length } : { ok: true, json };
  };
  const thrown = (error) => {
    const isError = error instanceof Error;
    return {
      ok: false,
      name: isError ? textOf(error.name) : typeof error,
      message: textOf(isError ? error.message : error),
      stack: isError && error.stack ? textOf(error.stack) : null,
    };
  };
  const called = (value) => (typeof value === "function" ? value(argument) : value);
  try {
    const value = called(compile()(argument));
    if (typeof value?.then !== "function") return returned(value);
    return Promise.resolve(value).then(called).then(returned).catch(thrown);
  } catch (error) {
    return thrown(error);
  }
}
