// The WebSocket to the relay. A frame is a line of JSON, the head, and optionally a second line, the
// body, which the relay forwards without parsing it.

import { challenge, isPaired, pair } from "./pairing.js";
import { settings } from "./settings.js";

const REDIAL_MS = 1000;
const ALARM = "redial";
const TOO_LARGE = -32009;

let socket = null;
let dialling = false;
let maxBytes = 0;
let handlers = { opened() {}, received() {}, closed() {} };

export function begin(given) {
  handlers = given;
  // Timers neither keep a worker alive nor wake it, but an alarm does.
  chrome.alarms.create(ALARM, { periodInMinutes: 0.5 });
  dial();
}

export const isOpen = () => socket?.readyState === WebSocket.OPEN;

// The relay closes the connection after a larger message, which would disconnect all clients.
export function send(head, body) {
  if (!isOpen()) return;
  const text = frame(head, body);
  if (text !== null && fits(text)) return socket.send(text);
  const size = `larger than ${maxBytes / 2 ** 20} MiB`;
  if (head.id === undefined) return note(`the event ${head.event} was dropped: ${size}`);
  send({ id: head.id, error: { code: TOO_LARGE, message: `The result is ${size}` } });
}

function frame(head, body) {
  const line = JSON.stringify(head);
  try {
    return body === undefined ? line : `${line}\n${JSON.stringify(body)}`;
  } catch {
    return null; // longer than the limit of a string
  }
}

// A UTF-16 code unit is at most three bytes in UTF-8.
const fits = (text) =>
  text.length * 3 <= maxBytes || new TextEncoder().encode(text).byteLength <= maxBytes;

// Adds a message to the relay's trace and log.
export function note(message) {
  send({ method: "forwardCDPEvent", event: "Relay.note" }, { message });
}

export function hangUp() {
  socket?.close();
}

export async function dial() {
  if (socket || dialling) return;
  dialling = true;
  try {
    await connect();
  } catch {
    // Without a secret the relay refuses the connection; retry with the alarm, to be listed there.
    if (isPaired) setTimeout(dial, REDIAL_MS);
  } finally {
    dialling = false;
  }
}

async function connect() {
  const { port, installId } = await settings();
  const ours = challenge();
  const query = new URLSearchParams({
    challenge: ours,
    install: installId,
    version: chrome.runtime.getManifest().version,
    browser: await browserName(),
    agent: navigator.userAgent,
  });
  const fresh = new WebSocket(`ws://127.0.0.1:${port}/extension?${query}`);
  try {
    maxBytes = await pair(fresh, port, ours);
  } catch (error) {
    fresh.close();
    throw error;
  }
  socket = fresh;
  fresh.onmessage = ({ data }) => {
    const end = data.indexOf("\n");
    if (end < 0) handlers.received(JSON.parse(data));
    else handlers.received(JSON.parse(data.slice(0, end)), JSON.parse(data.slice(end + 1)));
  };
  fresh.onclose = () => {
    socket = null;
    handlers.closed();
    setTimeout(dial, REDIAL_MS);
  };
  handlers.opened();
}

async function browserName() {
  const { fullVersionList = [] } =
    (await navigator.userAgentData?.getHighEntropyValues(["fullVersionList"])) ?? {};
  const real = fullVersionList.filter(({ brand }) => !/not.?a.?brand/i.test(brand));
  const known = real.find(({ brand }) => brand !== "Chromium") ?? real[0];
  return known ? `${known.brand}/${known.version}` : "Chromium";
}

chrome.alarms.onAlarm.addListener(dial);
