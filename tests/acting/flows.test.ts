// The flows that type, on screens of the test's own: what an agent that is known by its screen
// alone gets, and what a file that draws a dialog of its own can do.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseOption } from '../../src/acting/dialogs/choose-option.ts';
import type { PaneControl, PaneLook, PeopleAtKeys } from '../../src/acting/pane-control.ts';
import { type SendRequest, sendText } from '../../src/acting/send-text.ts';
import { adapterOf } from '../../src/agents/registry.ts';
import { viewScreen } from '../../src/agents/screen/screen-view.ts';
import { answerDialog } from '../../src/daemon/acting/answer-dialog.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});
const adapterNamed = (name: string) => {
  const adapter = adapterOf(registry, name);
  if (!adapter) throw new Error(`no adapter ${name}`);
  return adapter;
};
const rule = '─'.repeat(80);
const box = (draft: string, above: readonly string[] = []) => [
  ...above,
  rule,
  `❯ ${draft}`,
  rule,
  '  ? for shortcuts',
];

// Every wait is a pause of the pane.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pane that shows one screen after the other, the last one for ever, and keeps what is typed. */
function openPane(screens: readonly (readonly string[])[]) {
  const typed: string[] = [];
  const left = [...screens];
  const lookAt = (lines: readonly string[]): PaneLook => {
    const screen = {
      ...{ lines, ansi: lines.join('\n'), isStyled: true, cols: 80, rows: 24, panePid: 7 },
      ...{ cursor: { x: 0, y: 0 }, alternateOn: false, inMode: false, title: '✳ Claude Code' },
    };
    return {
      ...{ screen, view: viewScreen(screen), command: 'ssh', layout: '' },
      ...{ isSynchronized: false, isInputOff: false, isDead: false, takesPastes: null },
      drawnAt: '',
    };
  };
  const stub: Pick<
    PaneControl,
    'look' | 'paste' | 'press' | 'pause' | 'peopleAtKeys' | 'isServerUsed'
  > = {
    peopleAtKeys: async () => ({ isTyping: false, keyTable: null }),
    isServerUsed: async () => false,
    look: async () => lookAt((left.length > 1 ? left.shift() : left[0]) ?? []),
    paste: async (text) => {
      typed.push(text);
      return { isDone: true };
    },
    press: async (keys) => {
      typed.push(...keys);
      return { isDone: true };
    },
    pause: async (ms) => {
      vi.advanceTimersByTime(ms);
    },
  };
  return { pane: stub as PaneControl, typed };
}

const agent = { panePid: 7, command: 'ssh', isAlive: () => true, refresh: async () => {} };
const common = { agent, adapter: adapterNamed('claude'), commit: () => true };
const toOpaque = (changes: Partial<SendRequest> = {}): SendRequest => ({
  ...common,
  ...{ text: 'run the tests', pressesEnter: true, isForced: true, isOpaque: true },
  isPasteSafe: false,
  needsRest: false,
  hasPromptEvidence: () => false,
  ...changes,
});

describe('an answer in a pane that cannot be seen into', () => {
  it('is refused before anything is typed', async () => {
    const { pane, typed } = openPane([['Do you want to proceed?', '❯ 1. Yes', '  2. No']]);
    const request = { ...toOpaque(), expected: null, choice: { role: 'approve' } } as const;
    expect(await answerDialog(pane, request)).toMatchObject({ code: 'E_PANE_OPAQUE' });
    expect(typed).toEqual([]);
  });
});

describe('send to a pane that cannot be seen into', () => {
  it('is refused unless it is forced', async () => {
    const { pane, typed } = openPane([box('')]);
    expect(await sendText(pane, toOpaque({ isForced: false }))).toMatchObject({
      code: 'E_PANE_OPAQUE',
    });
    expect(typed).toEqual([]);
  });

  it.each(['claude', 'amp', 'generic'])(
    'of %s is refused without an input box on the screen, even if it is forced',
    async (name) => {
      const { pane, typed } = openPane([['$ ']]);
      const request = toOpaque({ adapter: adapterNamed(name) });
      expect(await sendText(pane, request)).toMatchObject({ code: 'E_INPUT_UNSEEN' });
      expect(typed).toEqual([]);
    },
  );

  it('is unconfirmed at best', async () => {
    const screens = [box(''), box('run the tests'), box('', ['❯ run the tests', '', '● Done.'])];
    const { pane, typed } = openPane(screens);
    expect(await sendText(pane, toOpaque())).toMatchObject({ result: 'unconfirmed' });
    expect(typed).toEqual(['run the tests', 'Enter']);
  });

  it('presses no Enter once the input box is gone', async () => {
    const { pane, typed } = openPane([box(''), ['$ run the tests']]);
    expect(await sendText(pane, toOpaque())).toMatchObject({ result: 'unconfirmed' });
    expect(typed).toEqual(['run the tests']);
  });
});

describe('send', () => {
  const request = toOpaque({ isForced: false, isOpaque: false });

  it('presses no Enter where a new reading of the processes shows another agent', async () => {
    const { pane, typed } = openPane([box(''), box('run the tests')]);
    // The first reading is for the paste.
    let readings = 0;
    const refresh = async () => {
      readings += 1;
    };
    const replaced = { ...agent, isAlive: () => readings < 2, refresh };
    expect(await sendText(pane, { ...request, agent: replaced })).toMatchObject({
      result: 'unconfirmed',
    });
    expect(typed).toEqual(['run the tests']);
  });

  it('looks again for a box that is being drawn anew', async () => {
    const { pane, typed } = openPane([['● Done.'], box(''), box('run the tests')]);
    expect(await sendText(pane, request)).toMatchObject({ result: 'unconfirmed' });
    expect(typed[0]).toBe('run the tests');
    const never = openPane([['● Done.']]);
    expect(await sendText(never.pane, request)).toMatchObject({ code: 'E_INPUT_UNSEEN' });
    expect(never.typed).toEqual([]);
  });

  it('presses Enter three times at most, and only while the text is there', async () => {
    const lost = openPane([box(''), box('run the tests')]);
    expect(await sendText(lost.pane, request)).toEqual({
      result: 'unconfirmed',
      detail: 'the text is still in the input box',
    });
    expect(lost.typed).toEqual(['run the tests', 'Enter', 'Enter', 'Enter']);
    // It is drawn anew when the second Enter is due, and there again when the third is.
    const drawing = Array.from({ length: 5 }, () => ['● Done.']);
    const late = openPane([box(''), box('run the tests'), ...drawing, box('run the tests')]);
    expect(await sendText(late.pane, request)).toMatchObject({ result: 'unconfirmed' });
    expect(late.typed).toEqual(['run the tests', 'Enter', 'Enter']);
  });

  it('waits for an agent that takes its first prompt late', async () => {
    const typing = Array.from({ length: 120 }, () => box('run the tests'));
    const late = openPane([box(''), ...typing, box('', ['❯ run the tests', '', '● Done.'])]);
    expect(await sendText(late.pane, request)).toMatchObject({ result: 'delivered' });
  });

  it('while the agent works is delivered only where it shows the text above its box', async () => {
    const busy = '✻ Working… (3s · esc to interrupt)';
    const typing = [box('', [busy]), box('run the tests', [busy])];
    const shown = openPane([...typing, box('', [busy, '', '❯ run the tests'])]);
    expect(await sendText(shown.pane, request)).toEqual({
      result: 'delivered',
      detail: 'the agent works, and shows the text above its input box: taken or queued',
    });
    const lost = openPane([...typing, box('', [busy])]);
    expect(await sendText(lost.pane, request)).toMatchObject({ result: 'unconfirmed' });
    expect(lost.typed).toEqual(['run the tests', 'Enter']);
  });

  it('with a moment types nothing while the agent works, or while a person types', async () => {
    const busy = openPane([box('', ['✻ Working… (3s · esc to interrupt)'])]);
    const atRest = { ...request, needsRest: true };
    expect(await sendText(busy.pane, atRest)).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    const { pane, typed } = openPane([box('')]);
    let people: PeopleAtKeys = { isTyping: true, keyTable: null };
    const person = Object.assign(pane, { peopleAtKeys: async () => people });
    expect(await sendText(person, atRest)).toMatchObject({ code: 'E_DRAFT_PRESENT' });
    people = { isTyping: false, keyTable: 'prefix' };
    expect(await sendText(person, atRest)).toMatchObject({ code: 'E_PANE_MODE' });
    expect([...busy.typed, ...typed]).toEqual([]);
  });

  it.each(['!', '#'])('is refused where the box is in the mode of the sign %s', async (sign) => {
    const { pane, typed } = openPane([[rule, `${sign} `, rule, '  ! for shell mode']]);
    expect(await sendText(pane, request)).toMatchObject({ code: 'E_DRAFT_PRESENT' });
    expect(typed).toEqual([]);
  });

  it.each(['claude', 'codex', 'copilot', 'gemini', 'qwen'])(
    'of %s knows the row of a box in shell mode, and that of a prompt',
    (name) => {
      const { acting } = adapterNamed(name).screen;
      const isOther = (sign: string): boolean =>
        [`${sign} `, ` ${sign} `, `│ ${sign} `].some((row) => acting?.otherMode?.test(row));
      expect(isOther('!')).toBe(true);
      expect(['❯', '>', '›', '*'].filter(isOther)).toEqual([]);
    },
  );

  it('is refused for a command of the agent behind any number of blanks', async () => {
    const { pane, typed } = openPane([box('')]);
    const text = `${' '.repeat(500)}/exit`;
    expect(await sendText(pane, { ...request, text })).toMatchObject({ code: 'E_TEXT_REFUSED' });
    expect(typed).toEqual([]);
  });
});

describe('Enter for a text that was pasted earlier', () => {
  const text = ['--agtmux-00112233445566778899aabb', 'From: one', '', 'Run the tests.'].join('\n');
  const request = toOpaque({ isForced: false, isOpaque: false, text, isPasted: true });
  const unseen = { result: 'refused', code: 'E_INPUT_UNSEEN' };

  it.each([
    'please review [Pasted text #2]',
    'please review [Pasted text #2 +3 lines]',
    '[Pasted text #2]',
    '[Pasted text #2 +12 lines]',
    'my own draft',
  ])('is not pressed on the draft of a person: %s', async (draft) => {
    const { pane, typed } = openPane([box(draft)]);
    expect(await sendText(pane, request)).toMatchObject(unseen);
    expect(typed).toEqual([]);
  });

  it('is pressed on the mark of the text only where nobody was at the keys since', async () => {
    const mark = box('[Pasted text #2 +3 lines]');
    const { pane, typed } = openPane([mark, mark, box('', [`❯ ${text}`, '', '● Done.'])]);
    expect(await sendText(pane, request)).toMatchObject({ result: 'delivered' });
    expect(typed).toEqual(['Enter']);
    const used = openPane([mark]);
    const askedMs: number[] = [];
    const person = Object.assign(used.pane, {
      isServerUsed: async (ms: number) => askedMs.push(ms) > 0,
    });
    expect(await sendText(person, { ...request, pastedForMs: 60_000 })).toMatchObject(unseen);
    expect(askedMs).toEqual([60_000]);
    expect(used.typed).toEqual([]);
  });

  it('is pressed on the text itself', async () => {
    const drafts = [box('--agtmux-00112233445566778899aabb From: one Run the tests.')];
    const { pane, typed } = openPane([...drafts, ...drafts, box('', [`❯ ${text}`])]);
    const used = Object.assign(pane, { isServerUsed: async () => true });
    expect(await sendText(used, request)).toMatchObject({ result: 'delivered' });
    expect(typed).toEqual(['Enter']);
  });
});

it('choose presses nothing where two options are marked: one of them is of a file', async () => {
  const dialog = [
    ...[rule, ' Bash command', '', '   cat notes', ' ❯ 1. Maybe', '', ' Do you want to proceed?'],
    ...[' ❯ 1. Yes', '   2. No', '', ' Esc to cancel · Tab to amend'],
  ];
  const { pane, typed } = openPane([dialog]);
  const choice = { label: 'Maybe' };
  const result = await chooseOption(pane, { ...common, choice, expected: null });
  expect(result).toMatchObject({ result: 'refused' });
  expect(typed).toEqual([]);
});

describe('an answer to a dialog that stays', () => {
  const trust = [
    ...[rule, ' Accessing workspace:', '', ' /home/dev/proj', ''],
    ...[' Quick safety check: Is this a project you created or one you trust?', ''],
    ...[' ❯ Yes, I trust this folder', '   No, exit', '', ' Enter to confirm · Esc to cancel'],
  ];
  const shell = [
    ...[rule, ' Bash command', '', '   touch file', '', ' Do you want to proceed?'],
    ...[' ❯ 1. Yes', '   2. No', '', ' Esc to cancel · Tab to amend'],
  ];
  const answer = (dialog: readonly string[], looks: number) => {
    const { pane } = openPane([...Array.from({ length: looks }, () => dialog), box('')]);
    return chooseOption(pane, { ...common, choice: { role: 'approve' }, expected: null });
  };

  it('for trust is proved when the agent that starts anew has taken it away', async () => {
    expect(await answer(trust, 150)).toMatchObject({ result: 'delivered' });
  });

  it('for a command is not proved three seconds later', async () => {
    expect(await answer(shell, 150)).toMatchObject({ result: 'unconfirmed' });
  });
});
