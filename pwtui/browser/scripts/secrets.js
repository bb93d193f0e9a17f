// What stands in the page's secret fields now, so that no snapshot repeats it.
() => {
  const values = [];
  for (const element of walk(document)) {
    if (isSecret(element) && element.value) values.push(element.value);
  }
  return values;
}
