// What the toolbar button shows for a tab.

const STATES = {
  off: { text: "", color: "#5f6368", title: "Let pwtui use this tab" },
  waiting: { text: "…", color: "#e37400", title: "Waiting for the relay: start it with `pw relay start`" },
  on: { text: "on", color: "#188038", title: "pwtui may use this tab; click to end that" },
  unpaired: { text: "!", color: "#c5221f", title: "Not paired: load the folder that `pw relay extension` names" },
  failed: { text: "!", color: "#c5221f", title: "This tab cannot be used" },
};

export function show(tabId, state, why) {
  const { text, color, title } = STATES[state];
  const gone = () => {};
  chrome.action.setBadgeText({ tabId, text }).catch(gone);
  chrome.action.setBadgeBackgroundColor({ tabId, color }).catch(gone);
  chrome.action.setTitle({ tabId, title: why ? `${title}: ${why}` : title }).catch(gone);
}
