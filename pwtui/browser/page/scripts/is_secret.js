// Whether a field holds a secret. Only of an input: a form may have a field with the name "matches".
// One that was a password field still holds what was typed into it when its page shows it as text.
function isSecret(element) {
  if (!(element instanceof HTMLInputElement)) return false;
  const mark = Symbol.for("pwtui.secret");
  if (element.matches(SECRET_FIELDS)) element[mark] = true;
  return element.matches(SECRET_FIELDS) || element[mark] === true;
}
