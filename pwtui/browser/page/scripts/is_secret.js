// Whether a field holds a secret. Only of an input: a form may have a field with the name "matches".
function isSecret(element) {
  return element instanceof HTMLInputElement && element.matches(SECRET_FIELDS);
}
