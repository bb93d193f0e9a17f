// The visible text; with `full` also the text of elements without a size.
({ full, limit }) => {
  const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "IFRAME", "SVG", "PATH", "TEMPLATE"]);
  const parts = [];
  let length = 0;
  const visit = (node) => {
    for (const child of node.childNodes) {
      if (length > limit) return;
      if (child.nodeType === Node.TEXT_NODE) {
        const text = child.textContent.trim().replace(/\s+/g, " ");
        if (text) {
          parts.push(text);
          length += text.length + 1;
        }
      } else if (child.nodeType === Node.ELEMENT_NODE && !SKIPPED.has(child.tagName.toUpperCase())) {
        if (!child.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
        const box = child.getBoundingClientRect();
        if (!full && (box.width === 0 || box.height === 0) && getComputedStyle(child).display !== "contents") continue;
        visit(child.shadowRoot || child);
      }
    }
  };
  if (document.body) visit(document.body);
  return parts.join(" ").slice(0, limit);
}
