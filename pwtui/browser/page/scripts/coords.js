// Where an element is: its centre and size in viewport pixels.
(element, limit) => {
  const box = element.getBoundingClientRect();
  const text = (element.innerText || "").trim().replace(/\s+/g, " ").slice(0, limit);
  return {
    x: Math.round(box.x + box.width / 2),
    y: Math.round(box.y + box.height / 2),
    width: Math.round(box.width),
    height: Math.round(box.height),
    text: text || null,
    href: element.href && typeof element.href === "string" ? element.href : null,
  };
}
