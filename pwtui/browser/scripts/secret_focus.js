// Whether the keys would go into a field whose content must not be repeated.
() => {
  let focused = document.activeElement;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  return Boolean(focused) && isSecret(focused);
}
