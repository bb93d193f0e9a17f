// Watches a document: `next` returns what happened since it was last called, or waits for it.
({ wants }) => {
  let news = {};
  let wake = () => {};
  const report = (part) => {
    Object.assign(news, part);
    wake();
  };

  // One report for each `arm`: a page that never stops changing pays only for the first change.
  let isArmed = false;
  const changed = () => {
    if (!isArmed) return;
    isArmed = false;
    changes.disconnect();
    report({ changed: true });
  };
  const changes = new MutationObserver(changed);
  const arm = () => {
    isArmed = true;
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    changes.observe(document, all);
    for (const element of walk(document)) {
      if (element.shadowRoot) changes.observe(element.shadowRoot, all);
    }
  };

  let title = ""; // the first one is reported, too: it may be newer than the one that is known
  const titles = new MutationObserver(() => followTitle());
  const followTitle = () => {
    titles.observe(document, { childList: true });
    if (document.documentElement) titles.observe(document.documentElement, { childList: true });
    const parts = { subtree: true, childList: true, characterData: true };
    if (document.head) titles.observe(document.head, parts);
    if (title === document.title) return;
    title = document.title;
    report({ title });
  };

  const user = watchUser((action) => {
    const actions = news.user ?? [];
    if (actions.length < 100) report({ user: [...actions, action] });
  });

  // Added again and again, as `document.open` removes them; a listener is added only once.
  const passive = { capture: true, passive: true };
  const listen = () => {
    if (wants.includes("changes")) {
      // Changes without a mutation: values, focus, popovers, styles that arrive late.
      for (const name of ["input", "change", "focusin", "focusout", "toggle", "transitionend"]) {
        addEventListener(name, changed, passive);
      }
    }
    if (wants.includes("user")) user.listen();
    if (wants.includes("title") && window === top) followTitle();
  };

  const next = async () => {
    listen();
    while (!Object.keys(news).length) await new Promise((resolve) => (wake = resolve));
    const result = { ...news, now: Date.now() };
    news = {};
    return result;
  };
  listen();
  return { arm, next, check: user.check };
}
