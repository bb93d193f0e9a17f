// The interactive elements that a person can see, each with a selector that matches it alone.
() => {
  const KINDS = [
    ["button", 'button, [role="button"], input[type="submit"], input[type="button"], input[type="reset"]'],
    ["link", "a[href]"],
    ["input", 'input:not([type="hidden"]):not([type="submit"]):not([type="button"]):not([type="reset"]):not([type="checkbox"]):not([type="radio"])'],
    ["textarea", "textarea"],
    ["select", "select"],
    ["checkbox", 'input[type="checkbox"], [role="checkbox"]'],
    ["radio", 'input[type="radio"], [role="radio"]'],
  ];
  const all = [...walk(document)];
  const count = (selector) => all.reduce((sum, element) => sum + (element.matches(selector) ? 1 : 0), 0);
  const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\a ")}"`;

  const isVisible = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return false;
    return element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  };

  // Cheap indexes, and none of the dear ones on large pages: counting every candidate selector against every element would be quadratic.
  const tally = (key) => {
    const counts = new Map();
    for (const element of all) {
      const value = key(element);
      if (value) counts.set(value, (counts.get(value) || 0) + 1);
    }
    return counts;
  };
  const byId = tally((e) => e.id);
  const byName = tally((e) => e.getAttribute("name") && `${e.localName} ${e.getAttribute("name")}`);
  const byLabel = tally((e) => e.getAttribute("aria-label"));
  const byClasses = tally((e) => e.classList.length && `${e.localName} ${[...e.classList].join(" ")}`);

  // Which of its twins an element is, counted once for all.
  const places = new Map();
  const totals = new Map();
  for (const element of all) {
    const parent = element.parentNode;
    if (!totals.has(parent)) totals.set(parent, new Map());
    const counts = totals.get(parent);
    const place = (counts.get(element.localName) || 0) + 1;
    counts.set(element.localName, place);
    places.set(element, place);
  }

  // The way down from the nearest unique id; a space crosses into a shadow root.
  const pathOf = (element) => {
    let path = "";
    for (let node = element; node && node.nodeType === 1; ) {
      if (node.id && byId.get(node.id) === 1) return `#${CSS.escape(node.id)}${path}`;
      const parent = node.parentNode;
      const hasTwins = parent && totals.has(parent) && totals.get(parent).get(node.localName) > 1;
      const step = hasTwins ? `${node.localName}:nth-of-type(${places.get(node)})` : node.localName;
      const inShadow = parent instanceof ShadowRoot;
      path = (inShadow ? " " : node.parentElement ? " > " : "") + step + path;
      node = inShadow ? parent.host : node.parentElement;
    }
    return path;
  };

  const selectorOf = (element) => {
    const tag = element.localName;
    if (element.id && byId.get(element.id) === 1) return `#${CSS.escape(element.id)}`;
    const name = element.getAttribute("name");
    if (name && byName.get(`${tag} ${name}`) === 1) return `${tag}[name=${quoted(name)}]`;
    const label = element.getAttribute("aria-label");
    if (label && byLabel.get(label) === 1) return `[aria-label=${quoted(label)}]`;
    if (all.length <= 2000 && element.classList.length && element.classList.length <= 3 && byClasses.get(`${tag} ${[...element.classList].join(" ")}`) === 1) {
      const selector = tag + [...element.classList].map((c) => `.${CSS.escape(c)}`).join("");
      if (count(selector) === 1) return selector;
    }
    return pathOf(element);
  };

  const textOf = (element) => {
    const isButtonInput = element.localName === "input" && /^(submit|button|reset)$/.test(element.type);
    const own = isButtonInput || !("value" in element) || element.localName === "button";
    const label =
      (element.labels && element.labels[0] && element.labels[0].innerText) ||
      element.getAttribute("aria-label") ||
      element.getAttribute("placeholder") ||
      element.getAttribute("title") ||
      (isButtonInput && element.value) ||
      (own && element.innerText) ||
      "";
    return label.trim().replace(/\s+/g, " ").slice(0, 40) || null;
  };

  const nameOf = (element, kind) => {
    if (kind === "input") return element.type;
    if (kind === "checkbox" || kind === "radio") {
      const checked = "checked" in element ? element.checked : element.getAttribute("aria-checked") === "true";
      return checked ? "checked" : "unchecked";
    }
    return null;
  };

  const found = [];
  for (const [kind, css] of KINDS) {
    for (const element of all) {
      if (!element.matches(css) || !isVisible(element)) continue;
      const href = kind === "link" ? element.getAttribute("href") : null;
      if (href && /^(javascript:|#)/i.test(href)) continue;
      const box = element.getBoundingClientRect();
      found.push({
        tag: kind,
        selector: selectorOf(element),
        text: textOf(element),
        name: nameOf(element, kind),
        href: kind === "link" ? element.href : null,
        id: element.id || null,
        x: Math.round(box.x),
        y: Math.round(box.y),
        width: Math.round(box.width),
        height: Math.round(box.height),
      });
    }
  }
  return found;
}
