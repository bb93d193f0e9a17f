// The extension's worker: joins the browser's events to the modules that know what to do.
// All listeners are here, at the top level, as a worker that is woken by an event needs them at once.

import * as link from "./link.js";
import * as places from "./places.js";
import { received } from "./requests.js";
import { whenPortChanges } from "./settings.js";
import * as tabs from "./tabs.js";

chrome.action.onClicked.addListener(({ id }) => {
  if (tabs.isWanted(id)) tabs.release(id);
  else tabs.want(id).catch(() => {});
});

chrome.debugger.onEvent.addListener(tabs.onEvent);

chrome.debugger.onDetach.addListener(({ tabId }, reason) => tabs.lost(tabId, reason));

// Chrome forgets what a button shows for a tab when that goes to another page.
chrome.tabs.onUpdated.addListener((tabId, { status }) => {
  if (status) tabs.showState(tabId);
});

chrome.tabs.onRemoved.addListener((tabId) => {
  tabs.dropped(tabId);
  places.forget(tabId);
});

// What a tab of ours opens is ours too.
chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) => {
  if (tabs.isAttached(sourceTabId)) tabs.want(tabId).catch(() => {});
});

whenPortChanges(() => {
  link.hangUp();
  link.dial();
});

tabs.recall().then(() =>
  link.begin({
    opened: tabs.attachWanted,
    received,
    closed() {
      tabs.detachAll();
      places.closeOwnWindow();
      places.setSeparate(false);
    },
  }),
);
