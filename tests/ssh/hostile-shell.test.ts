// A host whose shell turns hostile after its first answer: it prints without a request, without
// end, or too slowly to ever be done. It costs little, and its health has the reason.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostHealth } from '../../src/ssh/connection/health.ts';
import { eventually } from '../live/tmux-server.ts';
import { startHost } from './live-host.ts';
import { isSshdMissing, TestSshd } from './sshd.ts';

/** Does as the probe's script would until the facts are sent, and then runs the given lines. */
const shellThat = (does: string): string => `#!/bin/sh
set -f
while IFS= read -r line; do
  case $line in
    agtmux_secret=*) secret=\${line#*=} ;;
    "printf '"*.pid*)
      set -- $line
      break
      ;;
  esac
done
printf '\\n%s.pid %s\\n%s\\n' "$4" "$$" "$4"
read -r line
printf 'uid=0\\nsocket=/nowhere/default\\n\\n%s 1 0\\n' "$secret"
${does}
`;

const ANSWER_A_BEAT = `read -r line; printf '\\n%s 2 0\\n' "$secret"`;

describe.skipIf(isSshdMissing)('a hostile ssh host', () => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });

  /** Every health that was reported of a host with such a shell. */
  async function healthOf(does: string): Promise<readonly HostHealth[]> {
    const folder = TestSshd.emptyFolder();
    opened.push(folder);
    const shell = join(folder.path, 'shell');
    writeFileSync(shell, shellThat(does));
    chmodSync(shell, 0o755);
    const sshd = await TestSshd.start({ config: [`ForceCommand ${shell}`] });
    opened.push(sshd);
    const healths: HostHealth[] = [];
    opened.push(startHost(sshd, { onHealth: (health) => healths.push(health) }));
    await eventually(() => healths.length > 0, 'it was reached', 20_000);
    return healths;
  }

  const isReported = (healths: readonly HostHealth[], words: string): boolean =>
    healths.some(({ reason }) => reason?.sentence.includes(words));

  it('that prints without end is given up, and holds up nobody', async () => {
    const healths = await healthOf('read -r line; exec cat /dev/zero');
    // Everything else in this process, such as this wait, goes on meanwhile.
    await eventually(() => isReported(healths, 'an answer is too long'), 'it is given up');
    expect(healths.filter(({ level }) => level === 'ok').length).toBeLessThan(3);
  }, 60_000);

  it('that prints output to no request is given up', async () => {
    const healths = await healthOf(`${ANSWER_A_BEAT}\nprintf x\nexec sleep 60`);
    await eventually(() => isReported(healths, 'answers no request'), 'it is reported');
  }, 60_000);

  it('that answers one byte at a time is reported as slow', async () => {
    const healths = await healthOf('read -r line; while :; do printf x; sleep 0.2; done');
    const isLate = () => isReported(healths, 'did not answer in time');
    await eventually(isLate, 'it is reported');
  }, 60_000);
});
