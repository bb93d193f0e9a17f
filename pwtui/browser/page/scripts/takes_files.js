// Whether files can be put into the element itself, or into the field that it is the label of.
(element) => {
  const field = element.localName === "label" ? element.control : element;
  const takes = field?.localName === "input" && field.type === "file";
  return { takes, multiple: takes && (field.multiple || field.webkitdirectory) };
}
