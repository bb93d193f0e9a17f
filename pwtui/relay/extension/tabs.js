// The tabs that the relay may use, each with a debugger and a session id.

import * as badge from "./badge.js";
import * as link from "./link.js";
import { isPaired } from "./pairing.js";
import * as places from "./places.js";

const VERSION = "1.3";
const SCOPE = crypto.randomUUID().slice(0, 8); // session ids stay unique after a restart

const tabs = new Map(); // tab id → { id, session, info, attached, busy }
const sessions = new Map(); // session id of a tab, and of its frames and workers → tab
let wanted = new Set(); // tabs chosen by the user or the relay, also without a connection
let count = 0;

// After a restart of the worker the debuggers are still attached, but their state is unknown.
export async function recall() {
  const stored = await chrome.storage.session.get({ wanted: [] });
  wanted = new Set([...wanted, ...stored.wanted]);
  await Promise.all([...wanted].map((tabId) => chrome.debugger.detach({ tabId }).catch(() => {})));
}

function remember() {
  chrome.storage.session.set({ wanted: [...wanted] });
}

export const isWanted = (tabId) => wanted.has(tabId);
export const isAttached = (tabId) => tabs.has(tabId);
export const byTarget = (targetId) => [...tabs.values()].find((tab) => tab.info?.targetId === targetId);

export function showState(tabId) {
  if (!wanted.has(tabId)) return;
  const state = isPaired ? "waiting" : "unpaired";
  badge.show(tabId, sessions.has(tabs.get(tabId)?.session) ? "on" : state);
}

export async function want(tabId) {
  wanted.add(tabId);
  remember();
  showState(tabId);
  if (link.isOpen()) return attach(tabId);
}

export function attach(tabId) {
  const known = tabs.get(tabId);
  if (known) return known.attached;
  const tab = { id: tabId, session: `tab-${SCOPE}-${++count}`, info: null, busy: null };
  tabs.set(tabId, tab);
  tab.attached = start(tab);
  return tab.attached;
}

async function start(tab) {
  try {
    await chrome.debugger.attach({ tabId: tab.id }, VERSION);
    tab.info = await targetInfo(tab.id);
  } catch (error) {
    tabs.delete(tab.id);
    wanted.delete(tab.id);
    remember();
    badge.show(tab.id, "failed", error.message);
    throw error;
  }
  sessions.set(tab.session, tab);
  announce(tab);
  showState(tab.id);
  places.group(tab.id);
  return tab;
}

async function targetInfo(tabId) {
  const answer = await chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo");
  return answer.targetInfo;
}

function announce(tab) {
  const targetInfo = { ...tab.info, attached: true };
  const params = { sessionId: tab.session, targetInfo, waitingForDebugger: false };
  event("Target.attachedToTarget", undefined, params);
}

export function attachWanted() {
  for (const tabId of wanted) attach(tabId).catch(() => {});
}

// The user detached the tab.
export async function release(tabId) {
  await chrome.debugger.detach({ tabId }).catch(() => {});
  dropped(tabId);
}

// The relay is disconnected: a debugger would pause the page without a client that continues it.
export function detachAll() {
  for (const tabId of tabs.keys()) chrome.debugger.detach({ tabId }).catch(() => {});
  tabs.clear();
  sessions.clear();
  wanted.forEach(showState);
}

// Chrome detached the debugger. If the tab is still open, the button shows the reason.
export async function lost(tabId, reason) {
  const targetId = tabs.get(tabId)?.info?.targetId;
  dropped(tabId);
  const isThere = await chrome.tabs.get(tabId).catch(() => null);
  if (!targetId || !isThere) return;
  const why =
    reason === "canceled_by_user"
      ? "debugging was cancelled in the browser"
      : "Chrome does not allow extensions to debug its own pages, or pages and frames of other extensions";
  badge.show(tabId, "failed", why);
  link.send({ method: "forwardCDPEvent", event: "Relay.detached" }, { targetId, reason: why });
}

// The debugger was detached, or the tab was closed.
export function dropped(tabId) {
  if (wanted.delete(tabId)) remember();
  const tab = tabs.get(tabId);
  if (!tab) return;
  tabs.delete(tabId);
  for (const [session, owner] of sessions) if (owner === tab) sessions.delete(session);
  event("Target.detachedFromTarget", undefined, {
    sessionId: tab.session,
    targetId: tab.info?.targetId,
  });
  badge.show(tabId, "off");
  places.ungroup(tabId);
  if (!tabs.size) places.closeOwnWindow();
}

// The last client disconnected: restarting the debugger undoes its changes in the tab.
export function reset(session) {
  const tab = sessions.get(session);
  if (!tab) return;
  for (const [each, owner] of sessions) {
    if (owner === tab && each !== session) sessions.delete(each);
  }
  const debuggee = { tabId: tab.id };
  tab.busy = (async () => {
    await chrome.debugger.detach(debuggee);
    await chrome.debugger.attach(debuggee, VERSION);
  })()
    .catch(() => dropped(tab.id))
    .finally(() => {
      tab.busy = null;
    });
  return tab.busy;
}

export function command(session, method, params) {
  const tab = sessions.get(session);
  if (!tab) throw new Error(`Session ${session} not found (${method})`);
  const debuggee = { tabId: tab.id };
  if (session !== tab.session) debuggee.sessionId = session;
  const run = () => chrome.debugger.sendCommand(debuggee, method, params);
  return tab.busy ? tab.busy.then(run) : run();
}

function event(method, session, params) {
  link.send({ method: "forwardCDPEvent", event: method, sessionId: session }, params);
}

// Synchronous, so that events and results keep their order.
export function onEvent(source, method, params) {
  const tab = tabs.get(source.tabId);
  if (!tab || !sessions.has(tab.session)) return;
  if (method === "Target.attachedToTarget") sessions.set(params.sessionId, tab);
  if (method === "Target.detachedFromTarget") sessions.delete(params.sessionId);
  event(method, source.sessionId ?? tab.session, params ?? {});
}
