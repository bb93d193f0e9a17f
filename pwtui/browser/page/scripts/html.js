// The element's HTML without what is in its secret fields.
(element, outer) => {
  const secrets = [...walk(element.getRootNode())].filter((field) => isSecret(field) && field.hasAttribute("value"));
  if (!secrets.some((field) => element.contains(field))) return outer ? element.outerHTML : element.innerHTML;
  const copy = element.cloneNode(true);
  const fields = (root) => [...(outer ? [root] : []), ...root.querySelectorAll("input[value]")];
  const copies = fields(copy);
  fields(element).forEach((field, index) => {
    if (isSecret(field)) copies[index].setAttribute("value", "••••••");
  });
  return outer ? copy.outerHTML : copy.innerHTML;
}
