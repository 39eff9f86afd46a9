// Actions on agents behind a real sshd, by plain commands and through a control client: they have
// the same effects and the same guards as at home, and a link that is lost in the middle is never a
// reason to type twice.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { ActingLab } from './acting-lab.ts';

const refusal = (code: string) => expect.objectContaining({ code });

describe.skipIf(isSshdMissing).each(['when_safe', 'always'] as const)(
  'over ssh, with attach = %s,',
  (attach) => {
    let lab: ActingLab;
    beforeAll(async () => {
      lab = await ActingLab.open({ attach, isRemote: true });
    }, 60_000);
    afterAll(() => lab[Symbol.asyncDispose]());

    let sessionCount = 0;
    async function openAgent() {
      sessionCount += 1;
      const paneId = lab.openShell(`agent-${sessionCount}`);
      const { pane_key: ref, pid } = await lab.startAgent(paneId);
      return { paneId, ref, pid: pid ?? 0 };
    }
    const of = (agentPid: number) => lab.received().filter(({ pid }) => pid === agentPid);

    it('send submits a text once, and types nothing in a dry run', async () => {
      const { paneId, ref, pid } = await openAgent();
      const text = 'one "two" \'three\'\n#{pane_id} $HOME ~ \\ ;\n\n日本語 👩‍💻 end;';
      const dry = await lab.client.call('send', { ref, text, dry_run: true });
      expect(dry).toMatchObject({ result: 'dry_run' });
      expect(lab.screen(paneId)).not.toContain('two');
      expect(await lab.client.call('send', { ref, text })).toMatchObject({ result: 'delivered' });
      expect(of(pid)).toEqual([{ pid, submitted: text }]);
    });

    it.each([
      ['approve', 'Yes'],
      ['deny', 'No'],
    ] as const)('%s chooses by the label', async (role, label) => {
      const { paneId, ref, pid } = await openAgent();
      await lab.client.call('send', { ref, text: 'ask' });
      await lab.untilState(paneId, ['waiting_approval']);
      const dry = { ref, choice: { role }, dry_run: true };
      expect(await lab.client.call('choose', dry)).toMatchObject({ result: 'dry_run' });
      const report = await lab.client.call('choose', { ref, choice: { role } });
      expect(report).toMatchObject({ result: 'delivered' });
      expect(of(pid).at(-1)).toMatchObject({ chosen: label });
    });

    it('interrupt stops a turn, and presses nothing in an agent at rest', async () => {
      const { paneId, ref } = await openAgent();
      const rest = lab.client.call('interrupt', { ref });
      await expect(rest).rejects.toEqual(refusal('E_PRECONDITION_FAILED'));
      await lab.client.call('send', { ref, text: 'work' });
      await lab.untilState(paneId, ['running']);
      expect(await lab.client.call('interrupt', { ref })).toMatchObject({ result: 'delivered' });
      expect(lab.screen(paneId)).not.toContain('esc to interrupt');
    });

    it('kill ends the agent, and leaves its shell', async () => {
      const { paneId, ref, pid } = await openAgent();
      const dry = { ref, signal: 'TERM', dry_run: true } as const;
      expect(await lab.client.call('kill', dry)).toMatchObject({ result: 'dry_run' });
      const report = await lab.client.call('kill', { ref, signal: 'TERM' });
      expect(report).toMatchObject({ result: 'delivered' });
      expect(report.detail).toContain(`(${pid})`);
      expect(isAlive(pid)).toBe(false);
      const shell = Number(lab.tmux.run('display-message', '-p', '-t', paneId, '#{pane_pid}'));
      expect(isAlive(shell)).toBe(true);
    });

    it('no line of a prompt is run by the shell of a script whose agent has died', async () => {
      const script = join(lab.live.folder, 'script');
      const words = [lab.program('claude'), join(root, 'tests/acting/fake-claude.mjs'), lab.log];
      writeFileSync(script, words.map((each) => `'${each}'`).join(' '));
      sessionCount += 1;
      const shell = `exec env PS1='$ ' sh`;
      const session = ['-d', '-P', '-F', '#{pane_id}', '-s', `agent-${sessionCount}`];
      const paneId = lab.tmux.run('new-session', ...session, shell).trim();
      // For tmux the script is the same program as the shell.
      lab.typeLine(paneId, `sh '${script}'`);
      const { pane_key: ref, pid } = await lab.untilState(paneId, ['idle', 'completed']);
      const text = `one\n${lab.hitText('killed')}\nthree`;
      process.kill(pid ?? 0, 'SIGKILL');
      await lab.live.ended(pid ?? 0);
      await expect(lab.client.call('send', { ref, text })).rejects.toMatchObject({
        code: expect.stringMatching(/E_NO_AGENT|E_RUNTIME_STALE|E_PRECONDITION_FAILED/),
      });
      expect(lab.screen(paneId)).not.toContain('three');
      expect(lab.wasRunByShell('killed')).toBe(false);
    });

    it('an agent that is gone, or whose pane shares its input, is refused by name', async () => {
      const { paneId, ref, pid } = await openAgent();
      lab.tmux.run('set-option', '-w', '-t', paneId, 'synchronize-panes', 'on');
      const input = { ref, text: 'never' };
      await expect(lab.client.call('send', input)).rejects.toEqual(refusal('E_PANE_SYNCHRONIZED'));
      lab.tmux.run('set-option', '-w', '-t', paneId, 'synchronize-panes', 'off');
      process.kill(pid, 'SIGTERM');
      await eventually(() => lab.screen(paneId).includes('$'), 'the shell is back', 20_000);
      const { code } = await lab.client.call('send', input).then(
        () => ({ code: 'none' }),
        (error: { code: string }) => error,
      );
      expect(['E_NO_AGENT', 'E_RUNTIME_STALE', 'E_PRECONDITION_FAILED']).toContain(code);
      expect(lab.screen(paneId)).not.toContain('never');
    });
  },
);
