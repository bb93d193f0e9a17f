// The state of a tab on the toolbar button.

const STATES = {
  off: { text: "", color: "#5f6368", title: "Attach this tab to pwtui" },
  waiting: { text: "…", color: "#e37400", title: "The relay is not running: start it with `pw relay start`" },
  on: { text: "on", color: "#188038", title: "This tab is attached to pwtui: click to detach it" },
  unpaired: { text: "!", color: "#c5221f", title: "Not paired: load the folder printed by `pw relay extension`" },
  failed: { text: "!", color: "#c5221f", title: "Cannot attach this tab" },
};

export function show(tabId, state, why) {
  const { text, color, title } = STATES[state];
  const ignoreClosedTab = () => {};
  chrome.action.setBadgeText({ tabId, text }).catch(ignoreClosedTab);
  chrome.action.setBadgeBackgroundColor({ tabId, color }).catch(ignoreClosedTab);
  chrome.action.setTitle({ tabId, title: why ? `${title}: ${why}` : title }).catch(ignoreClosedTab);
}
