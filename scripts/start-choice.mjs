// What `npm start` runs without arguments. Pure. Plain JavaScript for Node 18 and newer.

// Counts the agents in the output of `agtmux list panes --json`; null when it is not a listing.
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

// Runs the demo when there is no agent, else agtmux without arguments.
/** @param {number | null} count */
export function argumentsFor(count) {
  return count === 0 ? ['demo'] : [];
}
