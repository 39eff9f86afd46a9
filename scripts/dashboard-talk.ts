// The picture of a conversation in the dashboard: a stand-in for Claude Code on a real tmux, with a
// transcript that is written here.

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClaude } from '../tests/agent-files/fake-claude.ts';
import { BrowserLab } from '../tests/browser/browser-lab.ts';
import { desk } from '../tests/browser/dashboard-browser.ts';
import { eventually } from '../tests/live/tmux-server.ts';

const ASK = 'Should a coupon be refused the second time, or just be ignored?';
const OPTIONS = ['Refuse it', 'Ignore it'];
const LINES = [
  ' export function total(cart: Cart): number {',
  '-  const sum = cart.items.reduce(add, 0) - discount(cart);',
  '+  const sum = cart.items.reduce(add, 0);',
  '   return Math.max(0, sum - discount(cart));',
  ' }',
];
const SUMMARY = `The discount was **subtracted twice**: once in \`sum\`, and once where it returns.

- \`total()\` subtracts it once now
- a second coupon is refused with \`CouponUsed\``;

function talk(claude: FakeClaude): void {
  const text = (words: string): object => ({ type: 'text', text: words });
  const call = (id: string, name: string, input: object): object => ({
    ...{ type: 'tool_use', id, name, input },
  });
  const path = '/home/ada/shop/src/cart.ts';
  const hunk = { oldStart: 38, oldLines: 4, newStart: 38, newLines: 4, lines: LINES };
  const questions = [{ question: ASK, header: 'coupon', options: OPTIONS.map(labelled) }];
  claude.prompt('The total is wrong when a coupon is used twice. Please find out why and fix it.');
  claude.says(call('t1', 'Bash', { command: 'grep -rn "coupon" src --include=*.ts' }));
  claude.returns('t1', `${path}:12: applyCoupon(cart)\n${path}:40: discount(cart)`);
  claude.says(call('q1', 'AskUserQuestion', { questions }));
  claude.returns('q1', 'answered', {
    toolUseResult: { questions, answers: { [ASK]: OPTIONS[0] } },
  });
  claude.says(call('t2', 'Edit', { file_path: path, old_string: 'a', new_string: 'b' }));
  claude.returns('t2', 'edited', { toolUseResult: { filePath: path, structuredPatch: [hunk] } });
  claude.says(call('t3', 'Bash', { command: 'npm test -- cart' }));
  claude.returns('t3', '14 passed');
  claude.says(text(SUMMARY));
  claude.writes({ type: 'system', subtype: 'turn_duration', durationMs: 84_000 });
}

const labelled = (label: string): object => ({ label });

/** Writes `dashboard-conversation.png`. */
export async function takeTalk(folder: string): Promise<void> {
  await using lab = await BrowserLab.open();
  const config = join(lab.lab.live.folder, 'home', '.claude');
  const cwd = join(lab.lab.live.folder, 'shop');
  mkdirSync(cwd);
  const before = `cd '${cwd}'; export CLAUDE_CONFIG_DIR='${config}'`;
  const paneId = await lab.agent('shop', { before });
  await lab.lab.client.call('send', { ref: paneId, text: 'hello' });
  const { pid } = await eventually(() => lab.lab.received().at(-1), 'it took a prompt');
  const claude = new FakeClaude({ config, pid, cwd, sessionId: randomUUID() });
  talk(claude);
  claude.status('idle', { name: 'Fix the coupon total' });
  const ref = (await lab.lab.pane(paneId))?.ref ?? '';
  const hash = `#/pane/${encodeURIComponent(ref)}/conversation`;
  const { page } = await lab.visit(hash, desk);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.getByText('worked for').waitFor();
  await page.getByRole('heading', { name: 'Fix the coupon total' }).waitFor();
  await page.screenshot({ path: join(folder, 'dashboard-conversation.png') });
}
