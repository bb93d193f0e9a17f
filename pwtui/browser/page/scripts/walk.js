// Every element of a document in order, open shadow roots included.
function* walk(root) {
  for (const element of root.querySelectorAll("*")) {
    yield element;
    if (element.shadowRoot) yield* walk(element.shadowRoot);
  }
}
