// Whether the keys would go into a field of this frame whose content must not be repeated.
() => {
  let focused = document.hasFocus() ? document.activeElement : null;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  return Boolean(focused) && isSecret(focused);
}
