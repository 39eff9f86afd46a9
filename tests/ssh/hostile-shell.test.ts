// A host whose shell is not ours any more once it has told its facts: it prints what nobody has
// asked for, without end, or too slowly to ever be done. It costs little and is told as it is.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostHealth } from '../../src/ssh/connection/health.ts';
import { eventually } from '../live/tmux-server.ts';
import { startHost } from './live-host.ts';
import { isSshdMissing, TestSshd } from './sshd.ts';

/** Does as the probe's script would until the facts are told; then it does what it is given. */
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

describe.skipIf(isSshdMissing)('a host whose shell is hostile', () => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  });

  /** Everything that was told of the health of a host with such a shell. */
  async function healthOf(does: string): Promise<readonly HostHealth[]> {
    const folder = TestSshd.emptyFolder();
    opened.push(folder);
    const shell = join(folder.path, 'shell');
    writeFileSync(shell, shellThat(does));
    chmodSync(shell, 0o755);
    const sshd = await TestSshd.start({ config: [`ForceCommand ${shell}`] });
    opened.push(sshd);
    const told: HostHealth[] = [];
    opened.push(startHost(sshd, { onHealth: (health) => told.push(health) }));
    await eventually(() => told.length > 0, 'it was reached', 20_000);
    return told;
  }

  const isTold = (told: readonly HostHealth[], words: string): boolean =>
    told.some(({ reason }) => reason?.sentence.includes(words));

  it('by printing without end is given up, and holds up nobody', async () => {
    const told = await healthOf('read -r line; exec cat /dev/zero');
    const startedAt = performance.now();
    await eventually(() => isTold(told, 'an answer is too long'), 'it is told', 10_000);
    const { user, system } = process.cpuUsage();
    const cpuBefore = user + system;
    // It is tried again and again, less and less often.
    const until = performance.now() + 3_000;
    await eventually(() => performance.now() > until, 'time passes');
    const after = process.cpuUsage();
    const cpuShare = (after.user + after.system - cpuBefore) / 3_000_000;
    expect(cpuShare).toBeLessThan(0.6);
    expect(performance.now() - startedAt).toBeLessThan(13_000);
  }, 60_000);

  it('by printing what nobody has asked for is given up at once', async () => {
    const told = await healthOf(`${ANSWER_A_BEAT}\nprintf x\nexec sleep 60`);
    await eventually(() => isTold(told, 'nobody has asked for'), 'it is told', 5_000);
  }, 60_000);

  it('by answering a byte at a time is not taken to be well', async () => {
    const told = await healthOf('read -r line; while :; do printf x; sleep 0.2; done');
    const isLate = () => isTold(told, 'did not answer in time');
    await eventually(isLate, 'it is told', 25_000);
  }, 60_000);
});
