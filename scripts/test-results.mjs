// Turns vitest's JSON report into the closing lines of `npm test`. Pure.
// Plain JavaScript for Node 18 and newer.

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

// A file that could not be loaded has no failed test in the report, yet it failed.
/** @param {any} file */
function statusesOf(file) {
  const statuses = (file.assertionResults ?? []).map((/** @type {any} */ test) => test.status);
  const isUncounted = file.status === 'failed' && !statuses.includes('failed');
  return isUncounted ? [...statuses, 'failed'] : statuses;
}

// A run may end badly with every test green (an error outside any test); that is one failure.
/**
 * @param {any} report vitest's JSON report, or undefined when it wrote none
 * @param {number} exitCode vitest's exit code
 * @returns {Counts}
 */
export function countResults(report, exitCode) {
  const files = report?.testResults ?? [];
  const statuses = files.flatMap(statusesOf);
  /** @param {string} wanted */
  const count = (wanted) =>
    statuses.filter((/** @type {string} */ status) => status === wanted).length;
  const passed = count('passed');
  const failed = count('failed');
  return {
    passed,
    failed: exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped: statuses.length - passed - failed,
  };
}

/** @param {Counts} counts */
export function closingLines(counts) {
  const lines = counts.skipped > 0 ? [`${counts.skipped} skipped`] : [];
  return [...lines, `${counts.passed} passed, ${counts.failed} failed`];
}
