// The emitter end to end: run by a fake claude in its pane with the payloads of real hooks, while
// the daemon runs, while it does not, and beside files that somebody hostile left in the spool.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { isEventName } from '../../src/sources/spool/spool-file.ts';
import { repeats } from '../length.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent, type LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

/** From each of two agents. */
const EVENTS = repeats(500);

interface Hook {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly tool_name?: string;
}

const hooks: readonly Hook[] = readFileSync(
  join(root, 'tests', 'fixtures', 'samples', 'claude-hooks.jsonl'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line).in);

const emitter = join(root, 'emitter', 'agtmux-emit');

/** How a fake runs the emitter: as its own child, with the environment of its pane. */
const emitLine = ({ env }: LiveDaemon): string =>
  `XDG_STATE_HOME='${env['XDG_STATE_HOME']}' CLAUDE_PID=$$ ` +
  `'${emitter}' --source claude-hooks --agent claude`;

/** Has the fake in the pane run one hook. */
function hook(live: LiveDaemon, pane: LivePane, payload: object): void {
  const file = join(live.folder, 'payload');
  writeFileSync(file, JSON.stringify(payload));
  pane.type(`run ${emitLine(live)} <'${file}'`);
}

describe.skipIf(isTmuxMissing)('hooks through the emitter', () => {
  test('give every state of a recorded session in turn', async () => {
    await using live = new LiveDaemon();
    const pane = fakeAgent(live.tmux, 'claude', 'hooked');
    await live.start();
    using subscriber = new Subscriber(await live.client());
    await subscriber.until(pane.paneId, ({ agent }) => agent === 'claude', 'it is found');
    const session = hooks.find((each) => each.hook_event_name === 'UserPromptSubmit')?.session_id;
    const story: readonly (readonly [string, string])[] = [
      ['SessionStart', 'idle'],
      ['UserPromptSubmit', 'running'],
      ['PermissionRequest', 'waiting_approval'],
      ['PostToolUse', 'running'],
      ['Stop', 'completed'],
    ];
    for (const [name, state] of story) {
      const payload = hooks.find(
        (each) => each.hook_event_name === name && each.session_id === session,
      );
      hook(live, pane, payload ?? {});
      const row = await subscriber.until(
        pane.paneId,
        (each) => each.state === state && each.evidence.source === 'claude-hooks',
        `${state} after ${name}`,
      );
      expect(row.session_key).toBe(session);
    }
    const question = hooks.find(
      (each) =>
        each.hook_event_name === 'PermissionRequest' && each.tool_name === 'AskUserQuestion',
    );
    hook(live, pane, { ...question, session_id: session });
    await subscriber.state(pane.paneId, 'waiting_input');
    const failure = hooks.find((each) => each.hook_event_name === 'StopFailure');
    hook(live, pane, { ...failure, session_id: session });
    await subscriber.state(pane.paneId, 'error');
    const states = subscriber.states
      .filter(({ paneId, state }) => paneId === pane.paneId && !state.startsWith('unknown'))
      .map(({ state }) => state.split('/')[0]);
    expect(states).toEqual([...story.map(([, state]) => state), 'waiting_input', 'error']);
  });

  test('lose nothing, repeat nothing and keep their order over a daemon that is down', async () => {
    await using live = new LiveDaemon();
    const panes = ['one', 'two'].map((session) => fakeAgent(live.tmux, 'claude', session));
    const pid = await live.start();
    await live.kill(pid, 'SIGTERM');
    const prompt = hooks.find((each) => each.hook_event_name === 'UserPromptSubmit') ?? {};
    const doneFile = (index: number): string => join(live.folder, `done-${index}`);
    panes.forEach((pane, index) => {
      const payload = JSON.stringify({ ...prompt, session_id: `session-${index}`, prompt: 'p-N' });
      const script = join(live.folder, `many-${index}.sh`);
      writeFileSync(
        script,
        `i=0
while [ $i -lt ${EVENTS} ]; do
  i=$((i + 1))
  printf '%s' '${payload.replace('p-N', "p-'$i'")}' | ${emitLine(live)}
done
: >'${doneFile(index)}'
`,
      );
      pane.type(`run . '${script}'`);
    });
    await eventually(
      () => panes.every((_, index) => existsSync(doneFile(index))),
      'every hook has run',
      50_000,
    );
    const spooled = (): readonly string[] => readdirSync(live.spool).filter(isEventName);
    expect(spooled()).toHaveLength(2 * EVENTS);

    await live.start();
    const client = await live.client();
    using subscriber = new Subscriber(client);
    await eventually(() => spooled().length === 0, 'the spool is empty', 20_000);
    for (const pane of panes) {
      await subscriber.state(pane.paneId, 'running');
      await expectAll(client, pane);
    }
    // A second life of the daemon reads nothing again.
    const [daemon] = live.processes().filter(({ command }) => command.includes('daemon run'));
    await live.kill(daemon?.pid ?? 0, 'SIGKILL');
    await live.start();
    for (const pane of panes) await expectAll(await live.client(), pane);
  });

  test('go on beside hostile files, which are refused and shown', async () => {
    await using live = new LiveDaemon();
    const pane = fakeAgent(live.tmux, 'claude', 'hooked');
    await live.start();
    const client = await live.client();
    using subscriber = new Subscriber(client);
    await subscriber.until(pane.paneId, ({ agent }) => agent === 'claude', 'it is found');
    const secret = join(live.folder, 'secret');
    writeFileSync(secret, 'not for the spool');
    const left = leaveHostileFiles(live.spool, secret);
    hook(live, pane, hooks.find((each) => each.hook_event_name === 'UserPromptSubmit') ?? {});
    await subscriber.state(pane.paneId, 'running', 'running beside hostile files');
    await eventually(
      () => left.every((name) => !existsSync(join(live.spool, name))),
      'what can be set aside is',
    );
    expect(readFileSync(secret, 'utf8')).toBe('not for the spool');
    const listing = await live.cli('alerts', '--json');
    expect(listing.code).toBe(0);
    const alerts: { code: string; about: string; detail: string }[] = JSON.parse(
      listing.out,
    ).alerts;
    expect(alerts.map(({ code, about }) => `${code} ${about}`)).toContain(
      'spool_problem refused files',
    );
    const text = await live.cli('alerts');
    expect(text.out).toContain('spool');
    const { sources } = await client.call('list_source_health', {});
    expect(sources.find(({ channel }) => channel === 'spool@local')?.status).toBe('fresh');
  });
});

/** Every event of the pane's agent is stored once, in the order in which it happened. */
async function expectAll(
  client: Awaited<ReturnType<LiveDaemon['client']>>,
  pane: LivePane,
): Promise<void> {
  const { events } = await client.call('explain', { ref: pane.paneId, events: 1_000 });
  const hookEvents = events.filter(({ source }) => source === 'claude-hooks');
  const ids = hookEvents.toSorted((a, b) => a.seq - b.seq).map(({ event_id: id }) => id);
  expect(ids).toHaveLength(EVENTS);
  expect(new Set(ids).size).toBe(EVENTS);
  expect(ids).toEqual(ids.toSorted());
  for (const { disposition } of hookEvents) expect(disposition).toBe('apply');
}

/** What somebody else, or a broken program, could leave in the spool. Returns the names. */
function leaveHostileFiles(spool: string, secret: string): readonly string[] {
  const event = (id: string): string => `agtmux-event 1\nid: ${id}\nsource: claude-hooks\n\n{}`;
  const files: Record<string, string | Uint8Array> = {
    '1700000000000001-1.event': new Uint8Array(2_000_000).fill(65),
    '1700000000000002-1.event': new Uint8Array(4_096).map((_, index) => index * 7),
    '1700000000000003-1.event': event('1700000000000009-9'),
    '1700000000000004-1.event': '',
    'any name \u001b[31m.event': 'x',
  };
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(spool, name), bytes, { mode: 0o600 });
  }
  symlinkSync(secret, join(spool, '1700000000000006-1.event'));
  execFileSync('mkfifo', [join(spool, '1700000000000007-1.event')]);
  mkdirSync(join(spool, '1700000000000008-1.folder.event'));
  // The daemon may take a file the moment it is there: it comes whole, as by the emitter.
  const leave = (name: string, spoil: (path: string) => void): void => {
    const id = name.slice(0, -'.event'.length);
    const hidden = join(spool, `.${id}.tmp`);
    writeFileSync(hidden, event(id), { mode: 0o600 });
    spoil(hidden);
    renameSync(hidden, join(spool, name));
  };
  leave('1700000000000010-1.event', (path) => chmodSync(path, 0o666));
  const names = [...Object.keys(files), '1700000000000006-1.event'];
  if (process.getuid?.() === 0) {
    leave('1700000000000011-1.event', (path) => chownSync(path, 12_345, 12_345));
    names.push('1700000000000011-1.event');
  }
  return [...names, '1700000000000007-1.event', '1700000000000010-1.event'];
}
