// The value of a field: as shown, and all spellings that match it. Null for other elements.
(element) => {
  const read = (field) => {
    const role = field.getAttribute("role");
    const box = field.localName === "input" && ["checkbox", "radio"].includes(field.type);
    if (box || ["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role)) {
      const checked = box ? field.checked : field.getAttribute("aria-checked") === "true";
      const spellings = checked ? ["true", "checked"] : ["false", "unchecked"];
      return { shown: spellings[0], spellings };
    }
    if (field.localName === "select") {
      const chosen = [...field.selectedOptions];
      const values = chosen.map((option) => option.value).join(", ");
      return { shown: values, spellings: [values, chosen.map((option) => option.label).join(", ")] };
    }
    if (["input", "textarea", "output", "meter", "progress"].includes(field.localName)) {
      return { shown: String(field.value), spellings: [String(field.value)] };
    }
    if (field.localName === "fieldset" || role === "radiogroup") {
      const chosen = field.querySelector("input[type=radio]:checked, [role=radio][aria-checked=true]");
      const label = chosen?.labels?.[0]?.innerText ?? chosen?.innerText ?? "";
      const value = chosen?.value ?? label;
      return { shown: String(value), spellings: [String(value), label.trim()] };
    }
    if (field.hasAttribute("aria-valuenow")) {
      const now = field.getAttribute("aria-valuenow");
      return { shown: now, spellings: [now, field.getAttribute("aria-valuetext") ?? now] };
    }
    if (field.isContentEditable || ["textbox", "searchbox", "combobox"].includes(role)) {
      const text = field.innerText.trim();
      return { shown: text, spellings: [text] };
    }
    return null;
  };
  const field = element.localName === "label" && element.control ? element.control : element;
  const value = read(field);
  return value && { ...value, secret: isSecret(field) };
}
