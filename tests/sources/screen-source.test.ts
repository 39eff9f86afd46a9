// Recorded screens as evidence: judged once, read again, and doubted where no rule knows them.

import { beforeEach, describe, expect, it } from 'vitest';
import { id, type RuntimeId } from '../../src/schema/ids.ts';
import { ScreenSource } from '../../src/sources/panes/screen-source.ts';
import type { CapturedScreen } from '../../src/tmux/capture.ts';
import {
  adapter,
  channel,
  claimsOf,
  plainScreen,
  recorded,
  runtime,
  T0,
  TestDaemon,
} from './fixture.ts';

let daemon: TestDaemon;
let screens: ScreenSource;

beforeEach(() => {
  daemon = new TestDaemon();
  screens = new ScreenSource(daemon, channel);
});

const claude = { runtime: runtime(), adapter: adapter('claude') };
const running = recorded('claude/104-running').screen;
const approval = recorded('claude/111-waiting_approval').screen;
const otherApproval = recorded('claude/114-waiting_approval').screen;
const rest = recorded('claude/101-idle').screen;
const transcript = recorded('claude/2.1.250-180-idle').screen;
const unknown = plainScreen('nothing that any rule knows');

const opencode = { runtime: runtime(), adapter: adapter('opencode') };
const work = recorded('opencode/006-running').screen;
// Which button is chosen is shown by colours alone.
const buttons = recorded('opencode/old-605-waiting_approval').screen;

/** Reads a screen 200 ms after the one before. */
function read(screen: CapturedScreen, agent: typeof claude | null = claude) {
  daemon.now += 200;
  return screens.read('%1', screen, agent, 'own');
}

/** As it is captured without styles. */
const withoutStyles = (screen: CapturedScreen): CapturedScreen => ({
  ...screen,
  ansi: screen.lines.join('\n'),
  isStyled: false,
});

describe('a screen', () => {
  it('without styles is judged only where its rules ask for none', () => {
    const plain = read(withoutStyles(work), opencode);
    expect([claimsOf(plain.evidence), plain.asksStyle]).toEqual([['running'], false]);
    const unjudged = read(withoutStyles(buttons), opencode);
    expect(unjudged).toMatchObject({ evidence: null, needsSecondCapture: false, asksStyle: true });
    const styled = read(buttons, opencode);
    expect([claimsOf(styled.evidence), styled.asksStyle]).toEqual([['waiting_approval'], true]);
    expect(read(withoutStyles(work), opencode).asksStyle).toBe(false);
  });

  it('is the same with and without styles where none are asked for', () => {
    read(work, opencode);
    expect(read(withoutStyles(work), opencode).isNew).toBe(false);
    read(buttons, opencode);
    expect(read(work, opencode).isNew).toBe(true);
    expect(read(withoutStyles(work), opencode).isNew).toBe(false);
  });

  it('of a working agent says so, anchored by its rule', () => {
    const { evidence, isNew, needsSecondCapture } = read(running);
    expect({ isNew, needsSecondCapture }).toEqual({ isNew: true, needsSecondCapture: false });
    expect(evidence).toMatchObject({
      runtimeId: claude.runtime.runtimeId,
      source: 'screen',
      kind: 'level',
      tier: 'heuristic',
      eventTimeMs: T0 + 200,
      claims: [{ about: 'turn', says: 'running', basis: 'anchored', rule: 'claude.spinner' }],
    });
  });

  it('with a dialog holds the question', () => {
    expect(read(approval).evidence?.claims).toMatchObject([
      { says: 'waiting_approval', request: { kind: 'approval', tool: 'Bash command' } },
    ]);
  });

  it('at rest asks for a second look, once', () => {
    expect(read(rest)).toMatchObject({ isNew: true, needsSecondCapture: true });
    const second = read(rest);
    expect(second).toMatchObject({ isNew: false, needsSecondCapture: false });
    expect(claimsOf(second.evidence)).toEqual(['at_rest']);
  });

  it('of a session that has just begun asks for a second look as well', () => {
    const fresh = recorded('opencode/043-idle').screen;
    expect(read(fresh, opencode)).toMatchObject({ isNew: true, needsSecondCapture: true });
    const second = read(fresh, opencode);
    expect([claimsOf(second.evidence), second.needsSecondCapture]).toEqual([['began'], false]);
  });

  it('that another left is not that of an agent which has just begun', () => {
    const young = { ...claude, runtime: runtime({ startedAtMs: T0 }) };
    expect(read(approval, young)).toMatchObject({ evidence: null, needsSecondCapture: true });
    daemon.now = T0 + 3_000;
    expect(claimsOf(read(approval, young).evidence)).toEqual(['waiting_approval']);
  });

  it('is given longer to change where the title is of one that was left at work', () => {
    const young = { ...claude, runtime: runtime({ startedAtMs: T0 }) };
    const look = (screen: CapturedScreen) => screens.read('%1', screen, young, 'left_at_work');
    expect(look(running)).toMatchObject({ evidence: null, needsSecondCapture: true });
    daemon.now = T0 + 9_000;
    expect(look(running)).toMatchObject({ evidence: null, needsSecondCapture: true });
    expect(claimsOf(look(approval).evidence)).toEqual(['waiting_approval']);
  });

  it('of a dialog that leaves the title alone is believed in the end', () => {
    const young = { ...claude, runtime: runtime({ startedAtMs: T0 }) };
    screens.read('%1', approval, young, 'left_at_work');
    daemon.now = T0 + 10_000;
    const { evidence } = screens.read('%1', approval, young, 'left_at_work');
    expect(claimsOf(evidence)).toEqual(['waiting_approval']);
  });

  it('that another left is not the agent’s because its title is', () => {
    const young = { ...claude, runtime: runtime({ startedAtMs: T0 }) };
    screens.read('%1', running, young, 'foreign');
    daemon.now = T0 + 1_000;
    const titled = { ...running, title: '✳ Claude Code' };
    expect(screens.read('%1', titled, young, 'own').evidence).toBeNull();
  });

  it('is submitted at each capture, with the moment at which it began', () => {
    read(running);
    const first = read(rest).evidence;
    daemon.now += 10_000;
    expect(read(rest).evidence?.eventTimeMs).toBe(first?.eventTimeMs);
    // Something else on it changed; what it says did not.
    const moved = { ...rest, cursor: { x: rest.cursor.x + 1, y: rest.cursor.y } };
    const again = read(moved);
    expect(again.isNew).toBe(true);
    expect(again.evidence?.eventTimeMs).toBe(first?.eventTimeMs);
  });

  it('that asks for something else was not there before', () => {
    const first = read(approval).evidence;
    daemon.now += 5_000;
    const second = read(otherApproval).evidence;
    expect(second?.claims[0]?.rule).toBe(first?.claims[0]?.rule);
    expect(second?.eventTimeMs).toBe(daemon.now);
  });

  it('of a transcript viewer takes a rest not back, and reads it no more', () => {
    read(rest);
    expect(read(transcript)).toMatchObject({
      evidence: null,
      isNew: true,
      needsSecondCapture: false,
    });
    expect(read(transcript).evidence).toBeNull();
  });

  it('of a transcript viewer over a dialog is a reading of the dialog behind it', () => {
    const dialog = read(approval).evidence;
    for (let minute = 0; minute < 3; minute += 1) {
      daemon.now += 60_000;
      const behind = read(transcript).evidence;
      expect(behind?.claims).toEqual(dialog?.claims);
      expect(behind?.eventTimeMs).toBe(dialog?.eventTimeMs);
      expect(behind?.ingestedAtMs).toBe(daemon.now);
    }
    expect(claimsOf(read(rest).evidence)).toEqual(['at_rest']);
    expect(read(transcript).evidence).toBeNull();
  });

  it('of a transcript viewer ends what the screen says of work: it may end unseen', () => {
    read(running);
    expect(claimsOf(read(transcript).evidence)).toEqual([]);
    expect(read(transcript).evidence).toBeNull();
    expect(claimsOf(read(running).evidence)).toEqual(['running']);
  });
});

describe('a screen that no rule knows', () => {
  it('withdraws a claim only when a second capture has none either', () => {
    read(running);
    expect(read(unknown)).toMatchObject({ evidence: null, isNew: true, needsSecondCapture: true });
    expect(claimsOf(read(unknown).evidence)).toEqual([]);
    expect(claimsOf(read(unknown).evidence)).toEqual([]);
  });

  it('takes it back also when the second one looks different', () => {
    read(running);
    read(unknown);
    expect(claimsOf(read(plainScreen('another one')).evidence)).toEqual([]);
  });

  it('between two repaints is nobody’s', () => {
    read(running);
    read(unknown);
    expect(claimsOf(read(running).evidence)).toEqual(['running']);
    expect(read(unknown).evidence).toBeNull();
  });

  it('needs two looks of each agent', () => {
    read(unknown);
    read(unknown);
    const next = { ...claude, runtime: runtime({ runtimeId: id<RuntimeId>('runtime-2') }) };
    expect(read(unknown, next)).toMatchObject({ evidence: null, needsSecondCapture: true });
    expect(claimsOf(read(unknown, next).evidence)).toEqual([]);
  });
});

describe('an agent that came after another', () => {
  it('has its own screen from now on, even if it shows the same', () => {
    read(rest);
    read(rest);
    const next = { ...claude, runtime: runtime({ runtimeId: id<RuntimeId>('runtime-2') }) };
    const { evidence, needsSecondCapture } = read(rest, next);
    expect(evidence).toMatchObject({ runtimeId: 'runtime-2', eventTimeMs: daemon.now });
    expect(needsSecondCapture).toBe(true);
  });
});

describe('text from before the agent began', () => {
  const auggie = { runtime: runtime(), adapter: adapter('auggie') };
  const left = recorded('auggie/005-running').screen;
  const old = left.lines.slice(0, left.lines.findLastIndex((line) => line.trim() !== '') + 1);
  const under = (...lines: readonly string[]) => ({
    ...plainScreen(...old, ...lines),
    title: left.title,
  });
  /** Another life of the agent, which begins now. */
  const startAgain = () => ({
    ...auggie,
    runtime: runtime({ runtimeId: id<RuntimeId>('runtime-2'), startedAtMs: daemon.now + 1 }),
  });

  it('says nothing of it, as long as it stands above what it draws', () => {
    expect(claimsOf(read(left, auggie).evidence)).toEqual(['running']);
    const again = startAgain();
    for (const lines of [
      ['Killed', '$ auggie'],
      ['Killed', '$ auggie', 'Warning: no network'],
    ]) {
      expect(read(under(...lines), again).evidence?.claims ?? []).toEqual([]);
    }
    daemon.now += 60_000;
    expect(claimsOf(read(under('Killed', '$ auggie', 'Loading'), again).evidence)).toEqual([]);
  });

  it('stays known while no agent is there and the pane is not captured', () => {
    read(left, auggie);
    screens.forget('%1');
    screens.keep(new Set(['%1']));
    const again = startAgain();
    read(under('Killed', '$ auggie'), again);
    expect(read(under('Killed', '$ auggie', 'Loading'), again).evidence?.claims ?? []).toEqual([]);
  });

  it('is no longer known where its pane is gone', () => {
    read(left, auggie);
    screens.forget('%1');
    screens.keep(new Set());
    const again = startAgain();
    read(under('Killed', '$ auggie'), again);
    expect(claimsOf(read({ ...left, cols: 99 }, again).evidence)).toEqual(['running']);
  });

  it('hides nothing of the same text that the agent draws later', () => {
    read(left, auggie);
    const again = startAgain();
    read(plainScreen('$ clear', '$ auggie'), again);
    expect(claimsOf(read(left, again).evidence)).toEqual(['running']);
  });

  describe.each([
    ['claude', 'claude/111-waiting_approval', false],
    ['copilot', 'copilot/012-waiting_approval', true],
  ] as const)('is a dialog of %s, amid which a shell prompts after a kill', (name, file, isAlt) => {
    const first = { runtime: runtime(), adapter: adapter(name) };
    const dialog = { ...recorded(file).screen, alternateOn: isAlt };
    const at = dialog.lines.findLastIndex((line) => line.trim() !== '') - 3;
    const lines = dialog.lines.with(at, 'Killedes').with(at + 1, `$ ${name}  of it`);
    const killed = { ...dialog, lines, ansi: lines.join('\n') };

    it('and waits for nobody before the next agent has drawn', () => {
      expect(claimsOf(read(dialog, first).evidence)).toEqual(['waiting_approval']);
      const again = {
        ...first,
        runtime: runtime({ runtimeId: id<RuntimeId>('runtime-2'), startedAtMs: daemon.now + 1 }),
      };
      for (const screen of [killed, { ...killed, cols: 99 }]) {
        expect(read(screen, again).evidence?.claims ?? []).toEqual([]);
      }
    });
  });

  it('is not that of the alternate screen, which begins blank', () => {
    read(left, auggie);
    const again = startAgain();
    const drawn = { ...left, lines: [...left.lines.slice(0, -1), '.'], alternateOn: true };
    read(drawn, again);
    expect(claimsOf(read({ ...drawn, cols: 99 }, again).evidence)).toEqual(['running']);
  });
});

describe('an agent behind ssh or in a nested tmux', () => {
  const inside = (name: string) => ({
    runtime: runtime({ pid: null, basis: 'screen' as const }),
    adapter: adapter(name),
  });
  const codex = inside('codex');
  const stream = recorded('codex/122-completed').screen;
  const withText = (text: string) => ({ ...stream, title: 'vm', lines: [text, ...stream.lines] });

  it('is not at rest as long as its text moves', () => {
    for (const text of ['a', 'b', 'c']) {
      expect(read(withText(text), codex)).toMatchObject({
        evidence: null,
        needsSecondCapture: true,
      });
    }
    daemon.now += 2_000;
    expect(claimsOf(read(withText('c'), codex).evidence)).toEqual(['at_rest']);
  });

  it('is captured again as soon as its rest counts, and once only', () => {
    read(withText('a'), codex);
    daemon.now += 2_000;
    expect(read(withText('a'), codex).needsSecondCapture).toBe(true);
    expect(read(withText('a'), codex).needsSecondCapture).toBe(false);
  });

  it('shows its shell where one prompts at its live end', () => {
    const prompt = plainScreen('Killed', 'dev@vm:~$ ');
    const cursor = { x: 10, y: 1, isVisible: true };
    read({ ...prompt, cursor }, codex);
    expect(screens.showsShell('%1', prompt.panePid)).toBe(true);
    read(withText('a'), codex);
    expect(screens.showsShell('%1', prompt.panePid)).toBe(false);
  });

  it('still works while its text moves, where its screen showed work before', () => {
    const working = { ...recorded('codex/120-running').screen, title: 'vm' };
    const work = read(working, codex).evidence;
    expect(claimsOf(work)).toEqual(['running']);
    for (const text of ['a', 'b', 'c']) {
      daemon.now += 1_000;
      const judged = read(withText(text), codex);
      expect(judged.evidence?.claims).toEqual(work?.claims);
      expect(judged.needsSecondCapture).toBe(true);
    }
    daemon.now += 2_000;
    expect(claimsOf(read(withText('c'), codex).evidence)).toEqual(['at_rest']);
  });

  it('has no dialog any more where a shell prompts under it', () => {
    const claudeInside = inside('claude');
    expect(claimsOf(read(approval, claudeInside).evidence)).toEqual(['waiting_approval']);
    const lines = [...approval.lines.filter((line) => line.trim() !== ''), 'Killed', 'vm$ '];
    const left = { ...approval, lines, cursor: { x: 4, y: lines.length - 1, isVisible: false } };
    read(left, claudeInside);
    expect(claimsOf(read(left, claudeInside).evidence)).toEqual([]);
  });
});

describe('the last screen of a pane', () => {
  const viewText = (panePid = 100) => screens.viewOf('%1', panePid)?.lines.join('\n') ?? null;

  it('is remembered where no agent is known', () => {
    expect(read(rest, null)).toMatchObject({
      evidence: null,
      isNew: true,
      needsSecondCapture: false,
    });
    expect(viewText()).toContain('❯');
    screens.forget('%1');
    expect(viewText()).toBeNull();
  });

  it('is that of an agent behind ssh, too', () => {
    read(rest, { ...claude, runtime: runtime({ pid: null, basis: 'screen' }) });
    expect(viewText()).toContain('❯');
  });

  it('proves nothing of what came after: another process, or after an agent that ended', () => {
    read(rest, null);
    expect(viewText(300)).toBeNull();
    read(rest);
    expect(viewText()).toBeNull();
  });

  it('is that of the process in the pane now, even if it looks the same', () => {
    read(rest, null);
    read({ ...rest, panePid: 300 }, null);
    expect(viewText(300)).toContain('❯');
  });

  it('counts again once it was taken without that agent, even if it looks the same', () => {
    read(rest);
    read(rest, null);
    expect(viewText()).toContain('❯');
  });
});
