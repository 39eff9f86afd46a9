// The lab's panes on a real tmux server: keys arrive, screens and titles are read.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LabPane } from '../../lab/pane.ts';
import { LabTap } from '../../lab/tap.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';

const DEADLINE_MS = 20_000;

describe.skipIf(isTmuxMissing)('a pane of the lab', () => {
  it('runs a shell with nothing but the environment it was given', async () => {
    using tmux = privateTmux();
    const folder = join(tmux.folder, "a 'b");
    mkdirSync(folder);
    const env = { PATH: '/usr/bin:/bin', MARK: "it's here" };
    const pane = await LabPane.open(tmux.socketPath, { folder, name: 'first', env });
    await pane.type('echo "[$MARK] [$HOME] [$TMUX_PANE]"');
    await pane.press(['Enter']);
    await pane.shows(/^\[it's here\] \[\] \[%0\]$/m, 'its environment', DEADLINE_MS);
  });

  it('counts what it shows, lines that have scrolled away included', async () => {
    using tmux = privateTmux();
    const env = { PATH: '/usr/bin:/bin' };
    const place = { folder: tmux.folder, name: 'first', env };
    const pane = await LabPane.open(tmux.socketPath, place);
    await pane.type("printf 'ready\\n%.0s' $(seq 50); echo all-$((1 + 1))");
    await pane.press(['Enter']);
    await pane.shows(/^all-2$/m, 'the last line', DEADLINE_MS);
    expect(await pane.countIn(/^ready$/m)).toBe(50);
    expect(await pane.countIn(/^never$/m)).toBe(0);
  });

  it('presses the number of the option that begins with a label', async () => {
    using tmux = privateTmux();
    const pane = await LabPane.open(tmux.socketPath, {
      folder: tmux.folder,
      name: 'first',
      env: { PATH: '/usr/bin:/bin' },
    });
    await pane.type(
      "printf '%s\\n' '1. Yes' '2. Nothing' '3. No, stop'; read -n 1 key; echo got-$key",
    );
    await pane.press(['Enter']);
    await pane.shows(/^3\. No/m, 'the options', DEADLINE_MS);
    await pane.press(['pause', 'option:No']);
    await pane.shows(/got-3$/m, 'the key', DEADLINE_MS);
    await expect(pane.press(['option:Maybe'])).rejects.toThrow('no option "Maybe"');
  });

  it('gives a signal for a title that changes, and none for one that only spins', async () => {
    using tmux = privateTmux();
    const pane = await LabPane.open(tmux.socketPath, {
      folder: tmux.folder,
      name: 'first',
      env: { PATH: '/usr/bin:/bin' },
    });
    using tap = new LabTap(tmux.socketPath, 'first');
    const say = async (bytes: string): Promise<void> => {
      await pane.type(`printf '${bytes}'`);
      await pane.press(['Enter']);
    };
    const kinds = (): string => tap.signals.map(({ kind }) => kind).join(' ');
    // The tap needs a moment to attach; a first title shows that it is there.
    await eventually(
      async () => {
        await say('\\033]2;resting\\007');
        return tap.signals.length > 0;
      },
      'the tap gets output',
      DEADLINE_MS,
    );
    await say('\\033]2;⠋ work\\007\\033]2;⠙ work\\007\\033]7501;state=working\\007');
    await eventually(() => kinds() === 'title title osc7501', 'both are signals', DEADLINE_MS);
  });
});
