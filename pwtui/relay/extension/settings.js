// Stored settings: the relay port, and an id of this browser profile.

import { DEFAULT_PORT } from "./defaults.js";

export async function settings() {
  const stored = await chrome.storage.local.get({ port: DEFAULT_PORT, installId: "" });
  if (!stored.installId) {
    stored.installId = crypto.randomUUID();
    await chrome.storage.local.set({ installId: stored.installId });
  }
  return stored;
}

export async function setPort(port) {
  await chrome.storage.local.set({ port });
}

export function whenPortChanges(listener) {
  chrome.storage.local.onChanged.addListener((changes) => {
    if (changes.port) listener();
  });
}
