// The pages of messages and teams: what they show on every size, what each key wants of the daemon,
// and what becomes of a text that was refused.

import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/render/width.ts';
import type { TerminalSize } from '../../src/tui/model.ts';
import { Driver, pane } from './fixture.ts';
import {
  ada,
  bundleListOf,
  coder,
  inboxOf,
  messageItem,
  receipt,
  talk,
  teams,
  tester,
} from './team-fixture.ts';

const ESC = '\x1b';
const ENTER = '\r';
const SIZES = [
  [40, 20],
  [80, 24],
  [120, 30],
  [300, 40],
] as const;

const failed = { ok: false, problem: 'the daemon is gone', code: 'E_DAEMON_DOWN' } as const;

function messages(size: TerminalSize = { columns: 80, rows: 24 }, all = talk): Driver {
  const driver = new Driver(size).snapshot().type('m');
  return driver.send({ type: 'messages-read', answer: { ok: true, value: inboxOf(all) } });
}

function teamsPage(size: TerminalSize = { columns: 80, rows: 24 }, list = teams): Driver {
  const driver = new Driver(size).snapshot().type('b');
  return driver.send({ type: 'teams-read', answer: { ok: true, value: list } });
}

const kinds = (driver: Driver) => driver.take().map(({ kind }) => kind);

function fits(driver: Driver): void {
  const { columns, rows } = driver.model.size;
  expect(driver.lines).toHaveLength(rows);
  for (const line of driver.lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
}

describe('the page of messages', () => {
  it.each(SIZES)('stands on %i columns as on the recorded screens', async (columns, rows) => {
    const driver = messages({ columns, rows });
    fits(driver);
    await expect(driver.text).toMatchFileSnapshot(`screens/messages-${columns}.txt`);
    driver.type('j').type(ENTER);
    fits(driver);
    await expect(driver.text).toMatchFileSnapshot(`screens/thread-${columns}.txt`);
    driver.type('s').type('no leap seconds');
    fits(driver);
    expect(driver.text).toContain('Reply to ');
  });

  it('says that it asks, what failed, and how to begin', () => {
    const driver = new Driver().snapshot().type('m');
    expect(driver.text).toContain('Asking the daemon.');
    driver.send({ type: 'messages-read', answer: failed });
    expect(driver.text).toContain('the daemon is gone');
    driver.send({ type: 'messages-read', answer: { ok: true, value: inboxOf([]) } });
    expect(driver.text).toContain('No messages yet.');
    expect(driver.type(ENTER).text).toContain('No messages yet.');
  });

  it('is read again while it is shown, one reading at a time, and not after it', () => {
    const driver = new Driver().snapshot();
    driver.take();
    driver.type('m');
    expect(kinds(driver)).toContain('read-messages');
    driver.later(10);
    expect(kinds(driver)).not.toContain('read-messages');
    driver.send({ type: 'messages-read', answer: { ok: true, value: inboxOf(talk) } });
    driver.later(3);
    expect(kinds(driver)).toContain('read-messages');
    driver.type('m').later(10);
    expect(kinds(driver)).not.toContain('read-messages');
  });

  it('marks what is on the screen as read, each message once', () => {
    const driver = messages();
    driver.take();
    driver.later();
    expect(kinds(driver)).not.toContain('mark-read');
    driver.type(ENTER);
    expect(driver.take()).toContainEqual({ kind: 'mark-read', ids: ['m3'] });
    driver.later(3);
    expect(kinds(driver)).not.toContain('mark-read');
  });

  it('keeps the chosen thread where it is when others come', () => {
    const first = messages();
    const driver = messages().type('j');
    const later = messageItem('m9', { subject: 'the newest', created_at: talk[2]!.created_at });
    const answer = { ok: true, value: inboxOf([later, ...talk]) } as const;
    first.send({ type: 'messages-read', answer });
    expect(first.type(ENTER).text).toContain('the body of m3');
    driver.send({ type: 'messages-read', answer });
    expect(driver.type(ENTER).text).toContain('leap seconds');
  });

  it('takes back what waits, and nothing where nothing waits', () => {
    const driver = messages().type('j').type(ENTER);
    driver.take();
    expect(driver.text).toContain('take back');
    driver.type('x');
    expect(driver.take()).toContainEqual({ kind: 'cancel-message', id: 'm2' });
    const gone = {
      ...talk[1]!,
      receipts: [receipt(coder, { status: 'failed', reason: 'canceled' })],
    };
    driver.send({ type: 'message-canceled', answer: { ok: true, value: gone } });
    expect(driver.text).toContain('Taken back: not delivered: canceled.');
    const other = messages().type(ENTER);
    expect(other.text).not.toContain('take back');
    other.take();
    other.type('x');
    expect(kinds(other)).not.toContain('cancel-message');
  });

  it('scrolls a long thread, and stays at its end when more comes', () => {
    const body = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const driver = messages(undefined, [messageItem('m1', { body })]).type(ENTER);
    expect(driver.text).toContain('line 59');
    expect(driver.type('g').text).toContain('line 0');
    expect(driver.text).not.toContain('line 59');
    driver.type('G');
    const more = messageItem('m2', {
      thread_id: 't-m1',
      body: 'the last word',
      created_at: '2030-01-01T00:00:00.000Z',
    });
    const value = inboxOf([messageItem('m1', { body }), more]);
    driver.send({ type: 'messages-read', answer: { ok: true, value } });
    expect(driver.text).toContain('the last word');
  });

  it('goes from the thread to the threads, and from there to the list', () => {
    const driver = messages().type(ENTER).type(ESC);
    expect(driver.text).toContain('you are ada');
    expect(driver.type('?').text).toContain('Keys of messages');
    expect(driver.type(ESC).text).toContain('you are ada');
    expect(driver.type(ESC).text).toContain('local/work');
  });
});

describe('a message that is written', () => {
  const agent = pane(1, { runtime_id: 'r1', ref: 'pane:local/main/@1/%1', session: 'main' });
  const list = () => new Driver().snapshot([agent]);

  it('goes to the selected agent with its subject, once', () => {
    const driver = list().type('M').type('\t').type('Dates').type(ENTER).type('please look');
    driver.take();
    driver.type(ENTER);
    const to = { id: 'runtime:r1', isBundle: false, name: 'claude in main:1.1' };
    const draft = { kind: 'new', to, subject: 'Dates', text: 'please look' } as const;
    expect(driver.take()).toContainEqual({ kind: 'send-message', draft });
    driver.type(ENTER);
    expect(kinds(driver)).not.toContain('send-message');
    const answer = {
      ok: true,
      value: messageItem('m1', {
        receipts: [receipt(coder, { status: 'queued', reason: 'it works' })],
      }),
    } as const;
    driver.send({ type: 'message-sent', draft, answer });
    expect(driver.text).toContain('To claude in main:1.1: queued: it works.');
  });

  it('that was refused is kept, and stands there again', () => {
    const driver = list().type('M').type('please look').type(ENTER);
    const [sent] = driver.take().filter((each) => each.kind === 'send-message');
    if (!sent) throw new Error('nothing was sent');
    const refused = { ok: false, problem: 'policy denies it', code: 'E_NOT_PERMITTED' } as const;
    driver.send({ type: 'message-sent', draft: sent.draft, answer: refused });
    expect(driver.text).toContain('Not sent to claude in main:1.1: policy denies it');
    expect(driver.type('M').text).toContain('Message: please look');
    driver.send({ type: 'message-sent', draft: sent.draft, answer: failed });
    expect(driver.text).toContain('Whether it was sent is not known');
  });

  it('keeps its lines when it is pasted, and is not cut', () => {
    const driver = list().type('M').type(`${ESC}[200~one\r\n  two${ESC}[201~`);
    driver.take();
    driver.type(ENTER);
    expect(driver.take()).toMatchObject([{ draft: { text: 'one\n  two' } }]);
    const long = list()
      .type('M')
      .type(`${ESC}[200~${'x'.repeat(20_001)}${ESC}[201~`);
    expect(long.text).toContain('Nothing was added');
    long.take();
    long.type(ENTER);
    expect(kinds(long)).not.toContain('send-message');
  });

  it('is not sent while the daemon does not answer', () => {
    const driver = list().type('M').type('please look');
    driver.send({ type: 'link', link: 'lost' });
    driver.take();
    driver.type(ENTER);
    expect(kinds(driver)).toEqual([]);
    expect(driver.text).toContain('Nothing was sent');
  });

  it('is none where no agent is', () => {
    const driver = new Driver()
      .snapshot([pane(3, { presence: 'unmanaged', agent: null })])
      .type('M');
    expect(driver.text).toContain('No agent is in this pane');
    expect(driver.model.page.kind).toBe('list');
  });

  it('answers who wrote last, or all of them', () => {
    const driver = messages().type('j').type(ENTER).type('a').type('yes');
    expect(driver.text).toContain('Reply to shop/coder and all others:');
    driver.take();
    driver.type(ENTER);
    const [effect] = driver.take();
    expect(effect).toMatchObject({
      kind: 'send-message',
      draft: { kind: 'reply', isToAll: true, text: 'yes', message: { message_id: 'm1' } },
    });
    expect(driver.text).toContain('leap seconds');
    const others = messages().type('G').type(ENTER).type('s');
    expect(others.text).toContain('Nobody in it has written to you.');
  });
});

describe('the page of teams', () => {
  it.each(SIZES)('stands on %i columns as on the recorded screen', async (columns, rows) => {
    const driver = teamsPage({ columns, rows });
    fits(driver);
    await expect(driver.text).toMatchFileSnapshot(`screens/teams-${columns}.txt`);
    driver.type('d');
    fits(driver);
  });

  it('is read again while it is shown', () => {
    const driver = new Driver().snapshot();
    driver.take();
    driver.type('b');
    expect(kinds(driver)).toContain('read-teams');
    driver.later(10);
    expect(kinds(driver)).not.toContain('read-teams');
    driver.send({ type: 'teams-read', answer: failed });
    expect(driver.text).toContain('the daemon is gone');
    driver.later(3);
    expect(kinds(driver)).toContain('read-teams');
  });

  it('brings a team up at once, and asks before sessions are ended', () => {
    const driver = teamsPage();
    driver.take();
    driver.type('u');
    expect(driver.take()).toContainEqual({ kind: 'run-bundle', bundle: 'shop', action: 'up' });
    driver.type('d');
    expect(kinds(driver)).toEqual([]);
    expect(driver.text).toContain(
      'End the sessions of team shop? That ends coder (waiting_approval)',
    );
    driver.type('y').type('q');
    expect(kinds(driver)).toEqual([]);
    driver.type('R').type(ENTER);
    expect(driver.take()).toContainEqual({ kind: 'run-bundle', bundle: 'shop', action: 'restart' });
  });

  it('does not end what is down, nor anything while the daemon is gone', () => {
    const driver = teamsPage().type('jjjj');
    driver.take();
    driver.type('d');
    expect(driver.text).toContain('Team docs is down: u brings it up.');
    driver.send({ type: 'link', link: 'lost' });
    driver.type('u');
    expect(kinds(driver)).toEqual([]);
    expect(driver.text).toContain('the daemon does not answer');
  });

  it('writes to a member, or to all of a team', () => {
    const driver = teamsPage().type('M').type('hello');
    expect(driver.text).toContain('Message to all of shop:');
    driver.take();
    driver.type(ENTER);
    expect(driver.take()).toMatchObject([{ draft: { to: { id: 'shop', isBundle: true } } }]);
    driver.type('j').type('M').type('hello').type(ENTER);
    const id = 'member:shop/coder';
    expect(driver.take()).toMatchObject([{ draft: { to: { id, isBundle: false } } }]);
    expect(driver.model.page.kind).toBe('teams');
  });

  it('shows the pane of a member that has one', () => {
    const shown = pane(1, { ref: 'pane:local/work/@0/%1' });
    const driver = teamsPage().changed([shown]).type('j');
    driver.take();
    driver.type(ENTER);
    expect(driver.take()).toMatchObject([{ kind: 'jump', paneKey: 'key-1' }]);
    driver.type('j').type(ENTER);
    expect(kinds(driver)).toEqual([]);
    expect(driver.text).toContain('This member has no pane.');
  });

  it('says how to begin where no team is declared', () => {
    expect(teamsPage(undefined, bundleListOf([])).text).toContain('agtmux bundle init');
  });
});

it('a thread of others names both, and one with oneself says so', () => {
  const own = messageItem('m1', { from: ada, receipts: [receipt(ada)], subject: 'to myself' });
  const driver = messages({ columns: 120, rows: 20 }, [own, talk[3]!]);
  expect(driver.text).toMatch(/you +to myself/);
  expect(driver.text).toMatch(new RegExp(`${tester.name}, shop/${coder.name}`));
});
