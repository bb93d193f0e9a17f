// Calls `act` with what a person does: trusted events, each with what its element was before the
// listeners of the page had it. `point` comes before an action, so that its element can be named
// while it is still there. `check` returns whether an element is still what it was.
function watchUser(act) {
  const pathOf = (element) => {
    const roots = [];
    for (let root = element.getRootNode(); ; root = element.getRootNode()) {
      const steps = [];
      for (let it = element; it; it = it.parentElement) {
        const place = it.parentNode ? [...it.parentNode.children].indexOf(it) + 1 : 1;
        steps.unshift(`${CSS.escape(it.localName)}:nth-child(${place})`);
      }
      roots.unshift(steps.join(" > "));
      if (!(root instanceof ShadowRoot)) return roots.join(" >> ");
      element = root.host;
    }
  };
  const target = (event) => event.composedPath().find((it) => it instanceof Element);
  const isText = (it) =>
    it.isContentEditable ||
    it instanceof HTMLTextAreaElement ||
    (it instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|reset|image|file)$/.test(it.type));

  const implicit = [
    ["button", "button, summary, input:is([type=button], [type=submit], [type=reset])"],
    ["link", "a[href]"],
    ["checkbox", "input[type=checkbox]"],
    ["radio", "input[type=radio]"],
    ["combobox", "select:not([multiple], [size])"],
    ["textbox", "textarea, input:is(:not([type]), [type=text], [type=email], [type=tel], [type=url])"],
    ["heading", "h1, h2, h3, h4, h5, h6"],
  ];
  const hasTextAsName = /^(button|link|heading|checkbox|radio|switch|tab|option|menuitem|treeitem)$/;
  const short = (text) => (text ?? "").slice(0, 1000).replace(/\s+/g, " ").trim().slice(0, 100);
  // Cheap, as it is done for what requests do, too: enough to notice a change, and a fallback.
  const factsOf = (it) => {
    const own = (it.getAttribute("role") ?? "").split(" ")[0];
    const role = own || (implicit.find(([, selector]) => it.matches(selector))?.[0] ?? "");
    const isNamed = role ? hasTextAsName.test(role) : !it.childElementCount && !isText(it);
    const names = [
      it.getAttribute("aria-label"),
      it.labels?.[0]?.textContent,
      isNamed && (it instanceof HTMLInputElement ? it.value : it.textContent),
      ...["alt", "title", "placeholder"].map((name) => it.getAttribute(name)),
    ];
    return { role, name: names.map((name) => short(name || "")).find((name) => name) ?? "" };
  };
  // With the texts that a locator may be based on beside the element's name.
  const stateOf = (it) => {
    const near = it.isContentEditable ? null : it.closest("li, tr, [role=listitem], [role=row]");
    return { path: pathOf(it), near: short(near?.textContent), ...factsOf(it) };
  };
  const isEqual = (one, other) => Object.keys(one).every((key) => one[key] === other[key]);

  const recent = new Map();
  let newest = 0;
  const see = (element) => {
    const state = stateOf(element);
    for (const [id, it] of recent) if (it.element === element && isEqual(state, it.state)) return it;
    const seen = { id: ++newest, element, state };
    recent.set(seen.id, seen);
    recent.delete(newest - 20);
    return seen;
  };
  const check = (id) => {
    const { element, state } = recent.get(id);
    const isLike = (it) => {
      const { role, name } = factsOf(it);
      return it !== element && (role === state.role || !state.role) && name.includes(state.name);
    };
    const isSame = element.isConnected && isEqual(state, stateOf(element));
    return { isSame, isUnique: isSame || ![...walk(document)].some(isLike) };
  };

  const send = (name, seen, at, more = {}) => {
    if (seen) act({ do: name, at, id: seen.id, ...seen.state, ...more });
  };
  const point = (event) => {
    const element = target(event);
    const seen = element && see(element);
    send("point", seen, Date.now());
    return seen;
  };
  let pointed = null;
  let isClicked = false;
  const click = (event, count) => {
    if (event.button > 2 || isClicked) return; // back and forward
    const element = target(event);
    const isOther = element && pointed?.element !== element && pointed?.element.isConnected !== false;
    send("click", isOther ? see(element) : pointed, Date.now(), { button: event.button, count });
  };

  let typed = null;
  let timer = 0;
  const flush = () => {
    clearTimeout(timer);
    if (!typed) return;
    const { seen, at, secret, label } = typed;
    const text = secret ? "" : (typed.text ?? seen.element.innerText).slice(0, 10000);
    typed = null;
    send("fill", seen, at, { secret, label, text });
  };

  const listeners = {
    pointerdown: (event) => {
      pointed = point(event);
      isClicked = false;
    },
    pointerup: (event) => {
      if (!pointed || pointed.element.isConnected) return;
      // The page has removed it since: there may be no click, or one of another element.
      flush();
      click(event, 1);
      isClicked = true;
    },
    focus: point,
    blur: flush,
    click: (event) => {
      flush();
      // Without a pointer it follows from a key, or from a click on a label.
      if (event.pointerType) click(event, event.detail);
    },
    auxclick: (event) => click(event, 1),
    input: (event) => {
      const element = target(event);
      if (!element || !isText(element)) return;
      if (typed && typed.seen.element !== element) flush();
      const label = [element.labels?.[0]?.innerText, element.getAttribute("aria-label"), element.name];
      typed ??= {
        seen: see(element),
        label: label.find((it) => it) || element.getAttribute("placeholder") || "",
      };
      typed.at = Date.now();
      typed.secret ||= isSecret(element);
      typed.text = element.value;
      clearTimeout(timer);
      timer = setTimeout(flush, 700);
    },
    change: (event) => {
      const element = target(event);
      flush();
      if (!(element instanceof HTMLSelectElement)) return;
      const values = [...element.selectedOptions].map((it) => it.label);
      send("select", see(element), Date.now(), { values });
    },
    keydown: (event) => {
      const element = target(event);
      const isCommand = event.ctrlKey || event.metaKey || event.altKey;
      if (["Control", "Shift", "Alt", "Meta", "AltGraph"].includes(event.key)) return;
      if (event.key.length === 1 && (!isCommand || event.getModifierState("AltGraph"))) return;
      const isEditing = /^(Backspace|Delete|Home|End|Arrow.*|Process|Dead|Unidentified)$/.test(event.key);
      if (isEditing && element && isText(element) && !isCommand) return;
      flush();
      const held = ["Control", "Alt", "Meta", "Shift"].filter((it) => event.getModifierState(it));
      send("press", element && see(element), Date.now(), { key: [...held, event.key].join("+") });
    },
    pagehide: flush,
  };
  const trusted = (event) => event.isTrusted && listeners[event.type](event);
  const listen = () => {
    for (const name of Object.keys(listeners)) {
      addEventListener(name, trusted, { capture: true, passive: true });
    }
  };
  return { listen, check };
}
