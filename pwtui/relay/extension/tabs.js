// The tabs that the relay may use, each with a debugger and a session of our naming.

import * as badge from "./badge.js";
import * as link from "./link.js";
import { isPaired } from "./pairing.js";
import * as places from "./places.js";

const VERSION = "1.3";
const SCOPE = crypto.randomUUID().slice(0, 8); // no session name comes twice, whoever restarts

const tabs = new Map(); // tab id → { id, session, info, attached, busy }
const sessions = new Map(); // our sessions, and Chrome's for frames and workers → tab
let wanted = new Set(); // what the user or the relay chose, also while the relay is away
let count = 0;

// After a restart of the worker its debuggers are still attached, but their state is unknown.
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

// The user ended it, for this tab.
export async function release(tabId) {
  await chrome.debugger.detach({ tabId }).catch(() => {});
  dropped(tabId);
}

// The relay is away: a debugger would hold up what no client can answer.
export function detachAll() {
  for (const tabId of tabs.keys()) chrome.debugger.detach({ tabId }).catch(() => {});
  tabs.clear();
  sessions.clear();
  wanted.forEach(showState);
}

// Chrome ended the debugger of a tab. If the tab is still there, the user should know why.
export async function lost(tabId, reason) {
  const targetId = tabs.get(tabId)?.info?.targetId;
  dropped(tabId);
  const isThere = await chrome.tabs.get(tabId).catch(() => null);
  if (!targetId || !isThere) return;
  const why =
    reason === "canceled_by_user"
      ? "debugging was cancelled in the browser"
      : "it shows a page or a frame of Chrome or of another extension, which Chrome lets no extension debug";
  badge.show(tabId, "failed", why);
  link.send({ method: "forwardCDPEvent", event: "Relay.detached" }, { targetId, reason: why });
}

// A debugger of the tab is gone, and the tab with it or not.
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

// The last client left: what it switched on in the tab must not stay.
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
  if (!tab) throw new Error(`No tab has the session ${session} (${method})`);
  const debuggee = { tabId: tab.id };
  if (session !== tab.session) debuggee.sessionId = session;
  const run = () => chrome.debugger.sendCommand(debuggee, method, params);
  return tab.busy ? tab.busy.then(run) : run();
}

function event(method, session, params) {
  link.send({ method: "forwardCDPEvent", event: method, sessionId: session }, params);
}

// Without a pause between Chrome's call and the relay: the order of events and answers is kept.
export function onEvent(source, method, params) {
  const tab = tabs.get(source.tabId);
  if (!tab || !sessions.has(tab.session)) return;
  if (method === "Target.attachedToTarget") sessions.set(params.sessionId, tab);
  if (method === "Target.detachedFromTarget") sessions.delete(params.sessionId);
  event(method, source.sessionId ?? tab.session, params ?? {});
}
