// The texts of the items of a list, table or select; of an element's children when it is neither.
(element) => {
  const ITEMS = "li, option, tr, dt, dd, [role=listitem], [role=option], [role=row], [role=treeitem], [role=menuitem]";
  const found = [...element.querySelectorAll(ITEMS)];
  const items = found.length ? found : [...element.children];
  const visible = items.filter((item) => item.localName === "option" || item.checkVisibility());
  return visible.map((item) => (item.innerText ?? item.textContent).trim().replace(/\s+/g, " "));
}
