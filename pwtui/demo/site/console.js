const log = document.querySelector("#log");
let beats = 0;
let timer = 0;

/** Writes a message to the console and to the page, so that they can be compared. */
function say(level, ...words) {
  console[level](...words);
  const shown = words.map((word) => (typeof word === "string" ? word : JSON.stringify(word)));
  log.textContent += `${level.padEnd(6)} ${shown.join(" ")}\n`;
}

const actions = {
  log: () => say("log", "A plain message from the back room"),
  info: () => say("info", "The oven is warm:", { degrees: 230 }),
  warn: () => say("warn", "Only two loaves left"),
  error: () => say("error", "The till is out of paper"),
  debug: () => say("debug", "Counting coins", [1, 2, 5]),
  throw: () => {
    throw new Error("The honey jar fell off the shelf");
  },
  beat: (button) => {
    clearInterval(timer);
    const running = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!running));
    button.textContent = running ? "Start the clock" : "Stop the clock";
    if (!running) timer = setInterval(() => say("log", `Tick ${++beats}`), 1000);
  },
};

for (const button of document.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => actions[button.dataset.say](button));
}

say("info", "The shop is open");
