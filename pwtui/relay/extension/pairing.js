// The relay and the extension prove to each other that they have the pairing secret, because any
// program can listen on the relay's port or connect to it.

import { PAIRING_SECRET } from "./defaults.js";

const PAIR_MS = 5000;

export const isPaired = PAIRING_SECRET !== "";

const encode = (text) => new TextEncoder().encode(text);
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const challenge = () => hex(crypto.getRandomValues(new Uint8Array(16)));

async function proof(...parts) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(PAIRING_SECRET), algorithm, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, encode(parts.join("\n"))));
}

// The port is part of the proof, so another program cannot forward the proof of a relay on another port.
async function answer(message, port, ours) {
  const { challenge: theirs, proof: given, maxBytes } = JSON.parse(message);
  if (given !== (await proof("relay", port, ours, theirs))) throw new Error("Not the paired relay");
  return { maxBytes, text: JSON.stringify({ proof: await proof("extension", port, ours, theirs) }) };
}

// Resolves with the relay's message size limit after the relay's proof was checked and ours was sent.
export function pair(socket, port, ours) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("The relay sent no proof")), PAIR_MS);
    socket.onerror = socket.onclose = () => reject(new Error("The relay closed the connection"));
    socket.onmessage = ({ data }) =>
      answer(data, port, ours)
        .then(({ maxBytes, text }) => {
          socket.send(text);
          resolve(maxBytes);
        })
        .catch(reject);
  });
}
