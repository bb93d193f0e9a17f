// The form for the relay port.

import { setPort, settings } from "./settings.js";

const form = document.querySelector("form");
const output = document.querySelector("output");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await setPort(form.port.valueAsNumber);
  output.textContent = "Saved.";
});

form.port.value = (await settings()).port;
