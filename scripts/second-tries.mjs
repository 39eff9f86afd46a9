// A vitest reporter that names the tests which passed only on their second try. CI gives the live
// suites one, because a machine that stands still for a second is not a fault of the change; each
// such test is listed, so that none is forgotten. Plain JavaScript for Node 18 and newer.

export class SecondTries {
  /** @type {string[]} */
  #names = [];

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky)
      this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd() {
    for (const name of this.#names) process.stdout.write(`passed on its second try: ${name}\n`);
  }
}
