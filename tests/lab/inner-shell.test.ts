// The shells that the lab opens inside a pane's own, on real tmux servers and a real sshd.

import { describe, expect, it } from 'vitest';
import { nestedTmuxLine, SHELL_PROMPT, sshLine } from '../../lab/inner-shell.ts';
import { LabPane } from '../../lab/pane.ts';
import { isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { isSshdMissing, TestSshd } from '../ssh/sshd.ts';

const env = { PATH: '/usr/bin:/bin', MARK: "it's here" };

async function openPane(tmux: PrivateTmux): Promise<LabPane> {
  return LabPane.open(tmux.socketPath, { folder: tmux.folder, name: 'first', env });
}

async function run(pane: LabPane, line: string): Promise<void> {
  await pane.type(line);
  await pane.press(['Enter']);
}

describe('an inner shell of the lab', () => {
  it.skipIf(isTmuxMissing)('runs in a tmux of its own inside the pane', async () => {
    using tmux = privateTmux();
    const pane = await openPane(tmux);
    await run(pane, nestedTmuxLine({ folder: tmux.folder, name: 'first', env }));
    await pane.shows(SHELL_PROMPT, 'the inner shell');
    await run(pane, 'echo "[$MARK] [$TMUX]"');
    await pane.shows(/^\[it's here\] \[\S+first\.inner,.*\]$/m, 'its own tmux');
    expect(await pane.format('#{pane_current_command}')).toBe('tmux');
    await run(pane, 'tmux kill-server');
    await pane.shows(/\[server exited\]/, 'the end of the inner tmux');
  });

  it.skipIf(isSshdMissing)('runs behind ssh with nothing but its environment', async () => {
    using tmux = privateTmux();
    await using sshd = await TestSshd.start();
    const pane = await openPane(tmux);
    await run(pane, sshLine(sshd, { folder: tmux.folder, name: 'first', env }));
    await pane.shows(/^dev@far:~\$ ?$/m, 'the prompt of the other machine');
    await run(pane, 'echo "[$MARK] [$TMUX]"');
    await pane.shows(/^\[it's here\] \[\]$/m, 'its environment');
    expect(await pane.format('#{pane_current_command}')).toBe('ssh');
    await run(pane, 'exit');
    await pane.shows(/^Connection to 127\.0\.0\.1 closed/m, 'the end of the connection');
  });
});
