// Repeat rules on real panes: agents whose hooks run the emitter, a daemon where rules are on, and
// what the agents really got. A rule answers the same command, folder and agent as often as it was
// allowed to, and nothing that only a screen shows.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab, AGENT_MS } from './acting-lab.ts';

const emitter = join(root, 'emitter', 'agtmux-emit');
const config = `[acting]
repeat_rules = true
[notify]
enabled = true
digest = "0s"
cooldown = "0s"
`;
const terms = { count: 3, expires_in_ms: 600_000 };

let lab: ActingLab;
beforeAll(async () => {
  lab = await ActingLab.open({
    prepare: (live) => live.configure(config),
  });
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

/** Each firing is notified, and what a rule answered is not. */
const untilNotified = (count: number): Promise<unknown> =>
  eventually(
    async () => {
      const { entries } = await lab.client.call('notify_log', {});
      const fired = entries.filter(({ kind, notified }) => kind === 'rule' && notified);
      return fired.length === count;
    },
    `${count} firings in the log of notifications`,
    AGENT_MS,
  );

let sessionCount = 0;
async function openAgent({ folder = lab.live.folder, hasHooks = true, program = 'claude' } = {}) {
  sessionCount += 1;
  const ref = lab.openShell(`ruled-${sessionCount}`);
  mkdirSync(folder, { recursive: true });
  const state = lab.live.env['XDG_STATE_HOME'];
  lab.typeLine(ref, `cd '${folder}'; export XDG_STATE_HOME='${state}'`);
  const script = program === 'claude' ? 'fake-claude.mjs' : 'fake-opencode.mjs';
  const hooks = hasHooks ? `'${emitter}'` : '';
  await lab.startAgent(ref, { program, script, more: program === 'claude' ? hooks : '--port' });
  return ref;
}

/** Has the agent ask for a command, once it is at rest. */
async function ask(ref: string, command: string): Promise<void> {
  await lab.untilState(ref, ['idle', 'completed', 'interrupted']);
  await lab.client.call('send', { ref, text: `ask: ${command}` });
}

/** The request, once the best source that the agent has reports it. */
async function requestOf(ref: string, source: string): Promise<string> {
  let requestId = '';
  await eventually(
    async () => {
      const { requests } = await lab.client.call('list_requests', { ref });
      const pane = await lab.pane(ref);
      requestId = requests[0]?.request_id ?? '';
      return requestId !== '' && pane?.evidence.source === source;
    },
    `a request of ${ref} by ${source}`,
    AGENT_MS,
  );
  return requestId;
}

const yesCount = (): number => lab.received().filter(({ chosen }) => chosen === 'Yes').length;
const untilYes = (count: number): Promise<unknown> =>
  eventually(() => yesCount() === count, `${count} approvals`, AGENT_MS);

it('a rule approves the same command, folder and agent so often, and nothing else', async () => {
  const [first, second] = [await openAgent(), await openAgent()];
  await ask(first, 'make all');
  const request_id = await requestOf(first, 'claude-hooks');
  const rule = await lab.client.call('add_repeat_rule', { ref: first, request_id, ...terms });
  expect(rule).toMatchObject({ command: 'make all', tool: 'Bash', agent: 'claude' });
  await untilYes(1);

  const elsewhere = await openAgent({ folder: join(lab.live.folder, 'elsewhere') });
  const unhooked = await openAgent({ hasHooks: false });
  const opencode = await openAgent({ program: 'opencode' });
  await ask(first, 'make all -B');
  for (const ref of [elsewhere, unhooked, opencode]) await ask(ref, 'make all');
  for (const ref of [first, elsewhere]) await requestOf(ref, 'claude-hooks');
  await requestOf(unhooked, 'screen');
  await requestOf(opencode, 'opencode-http');

  for (const count of [2, 3]) {
    await ask(second, 'make all');
    await untilYes(count);
  }
  // Its count is used up.
  await ask(second, 'make all');
  await requestOf(second, 'claude-hooks');
  const { rules } = await lab.client.call('list_repeat_rules', { all: true });
  expect(rules).toMatchObject([{ rule_id: rule.rule_id, count_left: 0, fired_count: 3 }]);
  const { actions } = await lab.client.call('list_actions', {});
  const own = actions.filter(({ actor }) => actor === `rule:${rule.rule_id}`);
  expect(own.map(({ result }) => result)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(yesCount()).toBe(3);
  await untilNotified(3);
  for (const ref of [first, elsewhere, unhooked, second]) {
    expect(lab.screen(ref)).toContain('Do you want to proceed?');
  }
  expect(lab.screen(opencode)).toContain('Allow once');
}, 180_000);

it('no rule can be made of what only a screen shows', async () => {
  const ref = await openAgent({ hasHooks: false });
  await ask(ref, 'make screen');
  const request_id = await requestOf(ref, 'screen');
  const made = lab.client.call('add_repeat_rule', { ref, request_id, ...terms });
  await expect(made).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
}, 60_000);
