// What `npm start` runs when it was given no arguments. Pure. Plain JavaScript for Node 18 and
// newer.

// How many agents a listing (`agtmux list panes --json`) tells of; null when it is none.
/** @param {string} output */
export function agentCount(output) {
  const line = output.split('\n').find((each) => each.startsWith('{')) ?? '';
  try {
    const { panes } = JSON.parse(line);
    return panes.filter((/** @type {unknown} */ pane) => isAgent(pane)).length;
  } catch {
    return null;
  }
}

/** @param {unknown} pane */
function isAgent(pane) {
  return typeof pane === 'object' && pane !== null && 'presence' in pane
    ? pane.presence === 'managed'
    : false;
}

// The arguments: the demo for a person who has no agent to look at, else agtmux as it is.
/** @param {number | null} count */
export function argumentsFor(count) {
  return count === 0 ? ['demo'] : [];
}
