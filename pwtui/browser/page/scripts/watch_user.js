// Calls `act` with what a person does: trusted events, each with the path of its element. `point`
// comes before an action, so that its element can be named while it is still there.
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
  const send = (name, element, at, more = {}) => {
    if (element) act({ do: name, at, path: pathOf(element), ...more });
  };
  const isText = (it) =>
    it.isContentEditable ||
    it instanceof HTMLTextAreaElement ||
    (it instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|reset|image|file)$/.test(it.type));

  let typed = null;
  let timer = 0;
  const flush = () => {
    clearTimeout(timer);
    if (!typed) return;
    const { element, at } = typed;
    typed = null;
    const label = [element.labels?.[0]?.innerText, element.getAttribute("aria-label"), element.name];
    send("fill", element, at, {
      secret: isSecret(element),
      label: label.find((it) => it) || element.getAttribute("placeholder") || "",
      text: isSecret(element) ? "" : String(element.value ?? element.innerText).slice(0, 10000),
    });
  };

  const listeners = {
    pointerdown: (event) => send("point", target(event), Date.now()),
    focusin: (event) => send("point", target(event), Date.now()),
    focusout: flush,
    click: (event) => {
      flush();
      // Without a pointer it follows from a key, or from a click on a label.
      if (event.pointerType) send("click", target(event), Date.now(), { button: 0, count: event.detail });
    },
    auxclick: (event) => {
      if (event.button > 2) return; // back and forward
      send("click", target(event), Date.now(), { button: event.button, count: 1 });
    },
    input: (event) => {
      const element = target(event);
      if (!element || !isText(element)) return;
      if (typed && typed.element !== element) flush();
      typed = { element, at: Date.now() };
      clearTimeout(timer);
      timer = setTimeout(flush, 700);
    },
    change: (event) => {
      const element = target(event);
      flush();
      if (!(element instanceof HTMLSelectElement)) return;
      const values = [...element.selectedOptions].map((it) => it.label);
      send("select", element, Date.now(), { values });
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
      send("press", element, Date.now(), { key: [...held, event.key].join("+") });
    },
    pagehide: flush,
  };
  const trusted = (event) => event.isTrusted && listeners[event.type](event);
  return () => {
    for (const name of Object.keys(listeners)) {
      addEventListener(name, trusted, { capture: true, passive: true });
    }
  };
}
