// The extension's worker: connects the browser's events to the modules that handle them.
// Listeners must be registered at the top level, as an event can start the worker.

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

// Chrome resets the button of a tab when it navigates.
chrome.tabs.onUpdated.addListener((tabId, { status }) => {
  if (status) tabs.showState(tabId);
});

chrome.tabs.onRemoved.addListener((tabId) => {
  tabs.dropped(tabId);
  places.forget(tabId);
});

// A tab that was opened by an attached tab is attached, too.
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
