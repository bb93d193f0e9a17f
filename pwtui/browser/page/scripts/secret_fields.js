// Which of the elements are fields whose content must not be repeated; `known` if the only one is.
(elements, known) => elements.map((element) => {
  if (known && elements.length === 1) element[Symbol.for("pwtui.secret")] = true;
  return known || isSecret(element);
})
