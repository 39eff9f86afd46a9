// Messages and teams in a view in a real tmux: a message is written, typed to a real pane and shown
// with its receipt; one that comes is read and answered; a team comes up and goes down by keys.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ActingLab } from '../acting/acting-lab.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { exitOnceShown, TeamLab } from '../teams/team-lab.ts';
import { LiveTui } from './live-tui.ts';

/** What earlier commands printed is above it. */
const isOver =
  (action: string) =>
  (screen: string): boolean =>
    screen.split(`$ agtmux bundle ${action} shop`)[1]?.includes('Enter goes back') ?? false;

const lineWith = (screen: string, text: string): string =>
  screen.split('\n').find((line) => line.includes(text)) ?? '';

const widest = (screen: string): number =>
  Math.max(...screen.split('\n').map((line) => line.length));

describe.skipIf(isTmuxMissing)('messages in the view', { timeout: 120_000 }, () => {
  let lab: ActingLab;
  let tui: LiveTui;
  let paneId: string;

  beforeAll(async () => {
    lab = await ActingLab.open();
    paneId = lab.openShell('work');
    await lab.startAgent(paneId);
    tui = new LiveTui(lab.live, { columns: 110, rows: 30 });
    await tui.shows('claude');
    tui.type('a');
    await tui.until((screen) => /^▸.*claude/m.test(screen), 'the agent is selected');
  }, 120_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  const received = (text: string): boolean =>
    lab.received().some(({ submitted }) => submitted?.includes(text) ?? false);
  const msg = async (...words: readonly string[]) =>
    JSON.parse((await lab.live.cli('msg', ...words, '--json')).out);

  it('one is written to the selected agent, typed to it, and shown with its receipt', async () => {
    await lab.untilState(paneId, ['idle', 'completed']);
    tui.type('M');
    await tui.shows('Message to claude in work:0.0:');
    tui.keys('Tab');
    await tui.shows('Subject:');
    tui.type('From the view');
    tui.keys('Enter');
    await tui.shows('Message:');
    tui.type('please look at $HOME; #{pane_id}');
    tui.keys('Enter');
    await tui.shows('To claude in work:0.0:');
    await eventually(() => received('please look at $HOME; #{pane_id}'), 'the agent has it');
    tui.type('m');
    // The agent's own screen shows the subject too.
    expect(await tui.shows('messages  you are ')).toContain('From the view');
    tui.keys('Enter');
    const screen = await tui.until(
      (each) => /[✓…] .*(?:delivered|unconfirmed)/.test(each),
      'its receipt',
    );
    expect(screen).toContain('please look at $HOME; #{pane_id}');
    expect(screen).toContain('From the view  with ');
    tui.type('m');
    await tui.hides('From the view');
  });

  it('one that comes is read when it is seen, and answered in its thread', async () => {
    await lab.untilState(paneId, ['idle', 'completed']);
    const { you } = await msg('who');
    const body = 'Is it done?\n\u001b[31mred\u001b[0m';
    const { message } = await msg('send', you.id, '--subject', 'Done?', '-m', body);
    const status = () => msg('status', message.message_id);
    expect((await status()).message.receipts[0].read_at).toBeNull();
    tui.type('m');
    await tui.until((screen) => /Done\?.* 1 new/.test(screen), 'it is new');
    expect((await status()).message.receipts[0].read_at).toBeNull();
    tui.type('g');
    tui.keys('Enter');
    expect(await tui.shows('Is it done?')).not.toContain('[31m');
    await eventually(
      async () => (await status()).message.receipts[0].read_at !== null,
      'it is read',
    );
    tui.type('s');
    await tui.shows('Reply to ');
    tui.type('It is.');
    tui.keys('Enter');
    await tui.until((screen) => /^ {2}It is\.$/m.test(screen), 'the reply is in the thread');
    tui.keys('Escape');
    await tui.until((screen) => /you {2,}Done\?.* 2$/m.test(screen), 'nothing in it is new');
    tui.keys('Escape');
    await tui.hides('messages  you are');
  });

  it('one that waits is taken back', async () => {
    await lab.client.call('send', { ref: paneId, text: 'work' });
    await lab.untilState(paneId, ['running']);
    tui.type('M');
    await tui.shows('Message to claude');
    tui.type('to be taken back');
    tui.keys('Enter');
    await tui.shows('queued');
    tui.type('m');
    await tui.shows('to be taken back');
    tui.type('g');
    tui.keys('Enter');
    // The outcome of the sending stands where the keys are, until it can have been read.
    await tui.until((screen) => {
      const isShown = screen.includes('x take back');
      if (!isShown) tui.type('G');
      return isShown;
    }, 'the key that takes it back');
    tui.type('x');
    await tui.shows('Taken back: ');
    await tui.shows('not delivered');
    await tui.hides('x take back');
    lab.typeKeys(paneId, 'Escape');
    await lab.untilState(paneId, ['idle', 'completed']);
    expect(received('to be taken back')).toBe(false);
  });

  it('a thread is drawn anew on another size, and the list comes back', async () => {
    tui.resize(40, 24);
    expect(widest(await tui.shows('work:0…'))).toBeLessThanOrEqual(40);
    tui.resize(120, 24);
    const screen = await tui.hides('work:0…');
    expect(lineWith(screen, 'not delivered')).toContain('claude in work:0.0: not delivered: ');
    tui.type('m');
    await tui.shows('local/work');
  });
});

describe.skipIf(isTmuxMissing)('teams in the view', { timeout: 120_000 }, () => {
  let lab: TeamLab;
  let tui: LiveTui;

  beforeAll(async () => {
    lab = new TeamLab();
    lab.coders({
      stay: 'exec sleep 1000',
      broken: `echo about to fail; nosuchprogram --x; ${exitOnceShown('$?')}`,
    });
    await lab.live.start();
    tui = new LiveTui(lab.live, { columns: 100, rows: 30 });
    await tui.shows('? help');
  }, 120_000);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('says how to begin, and shows a team and broken files as they are written', async () => {
    tui.type('b');
    await tui.shows('No team is declared.');
    lab.bundle('shop', [
      ['author', 'stay'],
      ['tester', 'broken'],
    ]);
    const screen = await tui.until((each) => /shop +down/.test(each), 'the team');
    expect(screen).toMatch(/author +· not up/);
    lab.write('bundles/odd.toml', 'format-version = "x"\n');
    await tui.shows('odd.toml');
    lab.write('bundles/odd.toml', 'format-version = 1\n');
  });

  it('comes up by the command, with what went wrong, and goes down after a question', async () => {
    tui.type('d');
    await tui.shows('Team shop is down: u brings it up.');
    tui.type('u');
    const report = await tui.until(isOver('up'), 'the command is over');
    expect(report).toContain('about to fail');
    tui.keys('Enter');
    await tui.shows('agtmux bundle up shop is done in part.');
    const screen = await tui.until((each) => /tester, \d+s ago: /.test(each), 'what went wrong');
    expect(screen).toMatch(/shop +up, degraded/);
    expect(screen).toMatch(/author +· runs/);
    expect(screen).toContain('about to fail');
    expect(lab.sessions(lab.socket('shop'))).toContain('author owned');
    tui.type('d');
    await tui.shows('End the sessions of team shop? That ends author.');
    tui.keys('Escape');
    await tui.hides('End the sessions');
    expect(lab.sessions(lab.socket('shop'))).toContain('author owned');
    tui.type('d');
    await tui.shows('End the sessions of team shop?');
    tui.keys('Enter');
    await tui.until(isOver('down'), 'the command is over');
    // Meant for what has the terminal, not for the view.
    tui.keys('C-c', 'Enter');
    await tui.until((each) => /shop +down/.test(each), 'it is down');
    expect(lab.sessions(lab.socket('shop'))).toEqual([]);
  });

  it('has its keys on the help page, and goes back to the list', async () => {
    tui.type('?');
    await tui.shows('Keys of teams');
    tui.type('?');
    await tui.shows('shop');
    tui.type('b');
    await tui.shows('/view');
  });
});
