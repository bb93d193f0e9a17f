// The location of tabs: the green group of their window, or a separate window.

const TITLE = "pwtui";
const WINDOW = { focused: false, width: 1200, height: 800, type: "normal" };

let separate = false;
let windowId = null;
let creating = null;
let grouping = Promise.resolve();
const opened = new Set(); // tabs that the extension opened and may close

// Affects only new tabs; an existing window stays open until its last tab is closed.
export function setSeparate(value) {
  separate = value;
}

// New tabs are active, as for Chrome's own clients: a hidden tab does not render and is slow.
export async function openTab(url, active) {
  const tab = await (separate ? openInOwnWindow(url, active) : openHere(url, active));
  opened.add(tab.id);
  return tab;
}

// Activating the tab afterwards does not take the focus from another program.
async function create(place, active) {
  const tab = await chrome.tabs.create({ ...place, active: false });
  if (active) await chrome.tabs.update(tab.id, { active });
  return tab;
}

async function openHere(url, active) {
  try {
    return await create({ url }, active);
  } catch {
    // No window is open.
    return (await chrome.windows.create({ url, focused: false })).tabs[0];
  }
}

async function openInOwnWindow(url, active) {
  await creating;
  if (windowId !== null) {
    try {
      return await create({ url, windowId }, active);
    } catch {
      windowId = null; // the user closed it
    }
  }
  // Concurrent calls wait for this window, otherwise each would open one.
  if (creating) return openInOwnWindow(url, active);
  creating = chrome.windows.create({ ...WINDOW, url });
  try {
    const fresh = await creating;
    windowId = fresh.id;
    return fresh.tabs[0];
  } finally {
    creating = null;
  }
}

// Closes the tabs that the extension opened, and so the window, unless the user added a tab to it.
export async function closeOwnWindow() {
  if (windowId === null) return;
  const there = await chrome.tabs.query({ windowId }).catch(() => []);
  windowId = null;
  const ours = there.map((tab) => tab.id).filter((id) => opened.has(id));
  await chrome.tabs.remove(ours).catch(() => {});
}

export function forget(tabId) {
  opened.delete(tabId);
}

export function group(tabId) {
  // One at a time: concurrent calls would create two groups.
  grouping = grouping.then(() => addToGroup(tabId)).catch(() => {});
  return grouping;
}

async function addToGroup(tabId) {
  const tab = await chrome.tabs.get(tabId);
  const { type } = await chrome.windows.get(tab.windowId);
  const isTheUsers = tab.pinned || tab.groupId !== chrome.tabGroups.TAB_GROUP_ID_NONE;
  if (type !== "normal" || isTheUsers || tab.windowId === windowId) return;
  const place = { windowId: tab.windowId };
  const [known] = await chrome.tabGroups.query({ ...place, title: TITLE });
  const target = known ? { groupId: known.id } : { createProperties: place };
  const groupId = await chrome.tabs.group({ tabIds: [tabId], ...target });
  await chrome.tabGroups.update(groupId, { title: TITLE, color: "green" });
}

export function ungroup(tabId) {
  grouping = grouping.then(() => removeFromGroup(tabId)).catch(() => {});
  return grouping;
}

async function removeFromGroup(tabId) {
  const { groupId } = await chrome.tabs.get(tabId);
  if (groupId === chrome.tabGroups.TAB_GROUP_ID_NONE) return;
  const { title } = await chrome.tabGroups.get(groupId);
  if (title === TITLE) await chrome.tabs.ungroup([tabId]);
}
