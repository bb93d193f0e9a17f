// The element's HTML without what is in its secret fields.
(element, outer) => {
  const secrets = [...walk(element.getRootNode())].filter((field) => isSecret(field) && field.hasAttribute("value"));
  if (!secrets.some((field) => element.contains(field))) return outer ? element.outerHTML : element.innerHTML;
  const copy = element.cloneNode(true);
  for (const field of copy.querySelectorAll("input[value]")) {
    if (isSecret(field)) field.setAttribute("value", "••••••");
  }
  return outer ? copy.outerHTML : copy.innerHTML;
}
