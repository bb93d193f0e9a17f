// Where tabs live: in the green group of the window that they are in, or in a window of their own.

const TITLE = "pwtui";
const WINDOW = { focused: false, width: 1200, height: 800, type: "normal" };

let separate = false;
let windowId = null;
let creating = null;
let grouping = Promise.resolve();
const opened = new Set(); // the tabs that we opened, which we may close

// Affects new tabs only: a window that is there stays until its tabs are gone.
export function setSeparate(value) {
  separate = value;
}

// In front, as Chrome itself opens them: a tab that is not seen draws nothing, and is slow to use.
export async function openTab(url, active) {
  const tab = await (separate ? openInOwnWindow(url, active) : openHere(url, active));
  opened.add(tab.id);
  return tab;
}

// To bring it to the front of its window afterwards does not take the focus from another program.
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
  // Others wait for this one, or each of them would open a window.
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

// Closes what we opened in our window, and with it the window, unless the user put a tab there.
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
  // One after the other: two at once would make two groups.
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
