// The title, and what stands in the page's secret fields now, so that no snapshot repeats it.
() => {
  const secrets = [];
  for (const element of walk(document)) {
    if (isSecret(element) && element.value) secrets.push(element.value);
  }
  return { title: document.title, secrets };
}
