// The requests of the relay.

import * as link from "./link.js";
import * as places from "./places.js";
import * as tabs from "./tabs.js";

const ACTIONS = {
  setWindowMode({ separateWindow }) {
    places.setSeparate(separateWindow);
  },

  async openTab({ url, background = false }) {
    const { id } = await places.openTab(url, !background);
    const tab = await tabs.want(id);
    return { targetId: tab.info.targetId };
  },

  async attachActiveTab() {
    const [active] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    if (!active) throw new Error("No window is open");
    const tab = await tabs.want(active.id);
    return { targetId: tab.info.targetId };
  },

  async closeTab({ targetId }) {
    const tab = tabs.byTarget(targetId);
    if (tab) await chrome.tabs.remove(tab.id);
    return { success: Boolean(tab) };
  },

  async activateTab({ targetId }) {
    const tab = tabs.byTarget(targetId);
    if (!tab) throw new Error(`Target ${targetId} not found`);
    await chrome.tabs.update(tab.id, { active: true });
  },

  async resetTab({ sessionId }) {
    await tabs.reset(sessionId);
  },
};

export function received(head, body) {
  if (head.method === "ping") return link.send({ method: "pong" });
  let work;
  try {
    work =
      head.method === "forwardCDPCommand"
        ? tabs.command(head.sessionId, body.method, body.params)
        : ACTIONS[head.method](head.params);
  } catch (error) {
    work = Promise.reject(error);
  }
  Promise.resolve(work).then(
    (result) => link.send({ id: head.id }, result ?? {}),
    (error) => link.send({ id: head.id, error: explained(error) }),
  );
}

// The message of a chrome.debugger error is the JSON of the CDP error.
function explained({ message }) {
  try {
    const { code, message: text } = JSON.parse(message);
    return { code, message: text };
  } catch {
    return { code: -32000, message };
  }
}
