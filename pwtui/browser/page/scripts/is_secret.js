// Whether a field holds a secret: a password or a one-time code.
function isSecret(element) {
  if (!(element instanceof HTMLInputElement)) return false;
  if (element.type === "password") return true;
  const purpose = (element.getAttribute("autocomplete") || "").toLowerCase().split(/\s+/);
  return purpose.some((word) => /^(current-password|new-password|one-time-code|cc-csc|cc-number)$/.test(word));
}
