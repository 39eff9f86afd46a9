// Foreign text on the way of an action: names of sessions and windows, of programs, and what a
// dialog shows. None of it is read as a command, a format or a pattern, and none stands in the way.

import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

const WAIT_MS = 20_000;

describe.each(['when_safe', 'always'] as const)('with attach = %s', (attach) => {
  let lab: ActingLab;
  beforeAll(async () => {
    lab = await ActingLab.open({ attach });
  }, 60_000);
  afterAll(() => lab[Symbol.asyncDispose]());

  it.each([
    ['quotes and semicolons', `a"b'c;d\\;`],
    ['formats', '#{pane_id}#(touch ran-from-a-name)#[bold]%H'],
    ['a line end', 'a\nkill-server\nb'],
    ['escapes and marks of direction', 'a\u001b[201~b\u202ec'],
  ])('an agent in a session and a window named by %s is acted on', async (_, name) => {
    // These commands expand formats, so that the name itself would run as one here.
    const literal = name.replaceAll('#', '##');
    const paneId = lab.openShell(literal);
    lab.tmux.run('rename-window', '-t', paneId, literal);
    lab.tmux.run('select-pane', '-t', paneId, '-T', literal);
    const { pane_key: ref, pid } = await lab.startAgent(paneId);
    const sent = await lab.client.call('send', { ref, text: `to ${name.length} and ask` });
    expect(sent).toMatchObject({ result: 'delivered' });
    expect(lab.received().at(-1)).toMatchObject({ pid, submitted: `to ${name.length} and ask` });
    lab.tmux.run('kill-session', '-t', paneId);
    for (const folder of [process.cwd(), lab.live.folder]) {
      expect(existsSync(join(folder, 'ran-from-a-name'))).toBe(false);
    }
  });

  it('keys reach a program whose name is full of signs of tmux', async () => {
    const program = join(lab.live.folder, 'bin', 'a,b}#{pid};"$');
    symlinkSync(process.execPath, program);
    const paneId = lab.openShell('signs');
    const reader = join(root, 'tests/acting/raw-reader.mjs');
    const file = join(lab.live.folder, 'signs');
    lab.typeLine(paneId, `'${program}' '${reader}' '${file}'`);
    await eventually(() => lab.screen(paneId).includes('ready'), 'the reader', WAIT_MS);
    const isListed = async () => (await lab.pane(paneId))?.current_cmd.startsWith('a,b}') ?? false;
    await eventually(isListed, 'its row', WAIT_MS);
    const press = { ref: paneId, keys: ['x'], force: true };
    expect((await lab.client.call('press', press)).result).toBe('unconfirmed');
    const send = { ref: paneId, text: 'whole', force: true, paste: true };
    expect((await lab.client.call('send', send)).result).toBe('unconfirmed');
  });

  it.each([
    ['a format', "printf '#{pane_pid}' #(id) #[fg=red] %d,}"],
    ['a pattern', 'grep -E "^[a-z]+(.*)$|\\\\b{2}?" *'],
    ['quotes', `echo "a" 'b' \`c\` $HOME ~ ;; \\;`],
    ['letters of all sizes', 'echo é日本語 👩‍💻 🇩🇪 \u00a0 end'],
  ])('a dialog that shows %s is answered by its label', async (_, command) => {
    const paneId = lab.openShell(`dialog-${attach}-${command.length}`);
    const { pane_key: ref, pid } = await lab.startAgent(paneId);
    await lab.client.call('send', { ref, text: `ask: ${command}` });
    await lab.untilState(paneId, ['waiting_approval']);
    const { requests } = await lab.client.call('list_requests', { ref });
    const [request] = requests;
    const answer = {
      ref,
      choice: { role: 'deny' },
      request_id: request?.request_id ?? '',
    } as const;
    expect(await lab.client.call('choose', answer)).toMatchObject({ result: 'delivered' });
    expect(lab.received().at(-1)).toMatchObject({ pid, chosen: 'No' });
  });
});
