import { describe, expect, it } from 'vitest';
import type { Request } from '../../schema/evidence.ts';
import { id, type RequestId } from '../../schema/ids.ts';
import type { MuteRule } from '../../schema/notify/episode.ts';
import { notifyKinds } from '../../schema/notify/notify-kind.ts';
import type { AttentionKind } from '../../schema/state.ts';
import type { RuleFiringNews } from './episodes.ts';
import type { Need, PaneNeeds } from './pane-needs.ts';
import { closePolicy, emptyPolicy, type PolicyRules, stepPolicy } from './policy.ts';

/** A Wednesday, 12:00. */
const T0 = Date.UTC(2026, 6, 1, 12);
const defaults: PolicyRules = {
  kinds: notifyKinds,
  atOnce: ['approval'],
  dwellMs: 5_000,
  cooldownMs: 60_000,
  digestMs: 30_000,
  mutes: [],
};

interface Change extends Partial<Omit<PaneNeeds, 'needs' | 'subject'>> {
  readonly agent?: string;
  readonly session?: string;
  readonly isSubagent?: boolean;
}

/** A request: `approval a1`, `completion done@1`; with `-` before it, seen; with `z`, snoozed. */
function need(text: string, sinceMs: number, detail?: Request): Need {
  const [, marks = '', kind = '', requestId = ''] = /^([-z]*)(\w+) (\S+)$/.exec(text) ?? [];
  return {
    requestId: id<RequestId>(requestId),
    kind: kind as AttentionKind,
    sinceMs,
    seen: marks.includes('-'),
    isSnoozed: marks.includes('z'),
    ...(detail && { detail }),
  };
}

/** Steps by hand, in seconds after T0, and what was decided, as lines. */
class Policy {
  state = emptyPolicy;
  dueMs: number | null = null;
  readonly lines: string[] = [];
  readonly focused = new Set<string>();
  readonly rules: PolicyRules;
  #seconds = 0;

  constructor(rules: Partial<PolicyRules> = {}) {
    this.rules = { ...defaults, ...rules };
  }

  /** The row of a pane says this now. */
  row(
    seconds: number,
    paneKey: string,
    needs: readonly (string | Need)[],
    change: Change = {},
  ): this {
    this.pass(seconds);
    const { agent = 'claude', session = 'work', isSubagent = false, ...rest } = change;
    const pane: PaneNeeds = {
      paneKey,
      subject: { agent, target: 'local', sessions: [session], isSubagent },
      needs: needs.map((each) =>
        typeof each === 'string' ? need(each, T0 + seconds * 1_000) : each,
      ),
      snoozedUntilMs: null,
      isHidden: false,
      isGone: false,
      isAtRest: false,
      ...rest,
    };
    return this.#step(seconds, [pane]);
  }

  /** A repeat rule has fired in the pane. */
  firing(seconds: number, paneKey: string, requestRef: string): this {
    this.pass(seconds);
    const subject = { agent: 'claude', target: 'local', sessions: ['work'], isSubagent: false };
    const atMs = T0 + seconds * 1_000;
    return this.#step(seconds, [], { firings: [{ paneKey, subject, requestRef, atMs }] });
  }

  /** Time passes: every step that is due is made. */
  pass(seconds: number): this {
    while (this.dueMs !== null && this.dueMs <= T0 + seconds * 1_000) {
      const dueMs = this.dueMs;
      this.#step((dueMs - T0) / 1_000, []);
      if (this.dueMs !== null && this.dueMs <= dueMs) throw new Error('a step is due for ever');
    }
    this.#seconds = seconds;
    return this;
  }

  #step(
    seconds: number,
    panes: readonly PaneNeeds[],
    more: { readonly firings?: readonly RuleFiringNews[] } = {},
  ): this {
    const nowMs = T0 + seconds * 1_000;
    const date = new Date(nowMs);
    const wall = { day: date.getUTCDay(), minute: date.getUTCHours() * 60 + date.getUTCMinutes() };
    const { rules, focused } = this;
    const result = stepPolicy(this.state, { nowMs, wall, rules, panes, focused, ...more });
    this.state = result.state;
    this.dueMs = result.dueMs;
    for (const { episode, reason, notificationId } of result.decisions) {
      const { paneKey, kind } = episode;
      this.lines.push(`${seconds} ${paneKey} ${kind} ${reason} ${notificationId ?? '-'}`);
    }
    return this;
  }

  get seconds(): number {
    return this.#seconds;
  }
}

const day = 86_400;

describe('a request', () => {
  it('of a kind that does not wait is notified at once, and once', () => {
    const policy = new Policy().row(0, 'a', ['approval r1']).row(1, 'a', ['approval r1']).pass(day);
    expect(policy.lines).toEqual(['0 a approval at_once n1']);
  });

  it('of another kind is notified when it was open for the dwell time', () => {
    const policy = new Policy().row(0, 'a', ['question r1']).pass(day);
    expect(policy.lines).toEqual(['5 a question dwell n1']);
  });

  it('that is over within the dwell time is held back', () => {
    const policy = new Policy().row(0, 'a', ['question r1']).row(4, 'a', []).pass(day);
    expect(policy.lines).toEqual(['4 a question over -']);
  });

  it('that a person has seen is held back, and so is news that is seen', () => {
    const policy = new Policy()
      .row(0, 'a', ['question r1'])
      .row(2, 'a', ['-question r1'])
      .row(100, 'b', ['completion done@1'], { isAtRest: true })
      .row(102, 'b', [], { isAtRest: true })
      .row(200, 'c', ['completion done@2'], { isAtRest: true })
      .row(202, 'c', [])
      .pass(day);
    expect(policy.lines).toEqual([
      '2 a question seen -',
      '102 b completion seen -',
      '202 c completion over -',
    ]);
  });

  it('waits while a person looks at the pane, and is notified when they leave it unseen', () => {
    const policy = new Policy();
    policy.focused.add('a');
    policy.row(0, 'a', ['approval r1']).pass(1);
    policy.focused.delete('a');
    expect(policy.pass(day).lines).toEqual(['1.5 a approval left n1']);
  });

  it('in a pane that was just notified waits for the end of the cooldown', () => {
    const policy = new Policy()
      .row(0, 'a', ['completion done@1'])
      .row(10, 'a', [])
      .row(20, 'a', ['completion done@2'])
      .row(70, 'a', [])
      .row(80, 'a', ['completion done@3'])
      .row(90, 'a', [])
      .row(200, 'a', ['completion done@4'])
      .pass(day);
    expect(policy.lines).toEqual([
      '5 a completion dwell n1',
      '65 a completion cooldown_over n2',
      '90 a completion over -',
      '205 a completion dwell n3',
    ]);
  });

  it('that does not wait is notified in the cooldown too', () => {
    const policy = new Policy().row(0, 'a', ['approval r1']).row(9, 'a', ['approval r2']).pass(day);
    expect(policy.lines).toEqual(['0 a approval at_once n1', '9 a approval at_once n2']);
  });

  it('of a kind that is off, of a worker or of a gone pane is held back', () => {
    const policy = new Policy({ kinds: ['approval', 'question'] })
      .row(0, 'a', ['completion done@1'])
      .row(0, 'b', ['approval r1'], { isSubagent: true })
      .row(0, 'c', ['question r1'])
      .row(1, 'c', [], { isGone: true })
      .pass(day);
    expect(policy.lines).toEqual([
      '0 a completion kind_off -',
      '0 b approval subagent -',
      '1 c question gone -',
    ]);
  });

  it('that is old news when it is read is held back; an old dialog that is open is not', () => {
    const long = T0 - 3_600_000;
    const policy = new Policy()
      .row(0, 'a', [need('completion done@1', long)])
      .row(0, 'b', [need('error error@1', long)])
      .row(0, 'c', [need('approval r1', long)])
      .pass(day);
    expect(policy.lines).toEqual([
      '0 a completion old -',
      '0 b error old -',
      '0 c approval at_once n1',
    ]);
  });
});

describe('one episode', () => {
  const asks = (requestId: string, seconds: number, command?: string): Need =>
    need(`approval ${requestId}`, T0 + seconds * 1_000, {
      kind: 'approval',
      ...(command && { command }),
    });

  it('goes on where a second source names the dialog, with or without what it asks', () => {
    const policy = new Policy()
      .row(1, 'a', [asks('dialog@1', 1)])
      .row(2, 'a', [asks('dialog@0', 0, 'rm -r build')])
      .row(3, 'a', [asks('toolu_1', 2, 'rm -r build')])
      .row(9, 'a', [asks('dialog@3', 3)])
      .pass(day);
    expect(policy.lines).toEqual(['1 a approval at_once n1']);
  });

  it('ends where the next dialog asks for something else, later, or under another name', () => {
    const policy = new Policy()
      .row(0, 'a', [asks('dialog@0', 0, 'ls')])
      .row(1, 'a', [asks('dialog@1', 1, 'rm -r build')])
      .row(0, 'b', [asks('dialog@0', 0)])
      .row(40, 'b', [asks('dialog@40', 40)])
      .row(40, 'c', [asks('toolu_1', 40, 'ls')])
      .row(41, 'c', [asks('toolu_1', 40, 'ls'), asks('toolu_2', 41, 'ls')])
      .pass(day);
    expect(policy.lines.filter((line) => line.includes('at_once'))).toHaveLength(6);
  });

  it('goes on over a row that lacks it for a moment, and over the same name much later', () => {
    const policy = new Policy()
      .row(0, 'a', [asks('dialog@0', 0, 'ls')])
      .row(1, 'a', [])
      .row(2, 'a', [asks('dialog@2', 2, 'ls')])
      .row(3, 'a', [])
      .row(900, 'a', [asks('dialog@2', 2, 'ls')])
      .pass(day);
    expect(policy.lines).toEqual(['0 a approval at_once n1']);
  });

  it('outlives a state that cannot be read: no repeat, no notification before it is back', () => {
    const hidden = { isHidden: true };
    const policy = new Policy()
      .row(0, 'a', ['approval r1'])
      .row(10, 'a', [], hidden)
      .row(4_000, 'a', ['approval r1'])
      .row(5_000, 'b', ['question r2'])
      .row(5_002, 'b', [], hidden)
      .pass(5_100)
      .row(5_200, 'b', ['question r2'])
      .pass(day);
    expect(policy.lines).toEqual(['0 a approval at_once n1', '5200 b question still_open n2']);
  });

  it('is forgotten after a while, so that the state stays small', () => {
    const policy = new Policy();
    for (let index = 0; index < 200; index += 1) {
      policy.row(index * 60, 'a', [`approval r${index}`]).row(index * 60 + 30, 'a', []);
    }
    expect(policy.lines).toHaveLength(200);
    expect(policy.state.episodes.size).toBeLessThanOrEqual(61);
  });
});

describe('several at a time', () => {
  it('become one after the first, when the window ends', () => {
    const policy = new Policy();
    for (const [index, pane] of ['a', 'b', 'c', 'd'].entries()) {
      policy.row(index, pane, [`completion done@${pane}`]);
    }
    expect(policy.row(34, 'c', []).pass(day).lines).toEqual([
      '5 a completion dwell n1',
      '34 c completion over -',
      '35 b completion digest n2',
      '35 d completion digest n2',
    ]);
  });

  it('that are ready in the same moment are one', () => {
    const policy = new Policy().row(0, 'a', ['error e']).row(0, 'b', ['crash c']).pass(day);
    expect(policy.lines).toEqual(['5 a error digest n1', '5 b crash digest n1']);
  });

  it('that do not wait go out alone, but a flood of them becomes one', () => {
    const policy = new Policy();
    for (let index = 0; index < 9; index += 1) policy.row(index, `p${index}`, ['approval r']);
    policy.pass(day);
    expect(policy.lines.map((line) => line.split(' ').at(-1))).toEqual([
      ...['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n6', 'n6', 'n6'],
    ]);
    expect(policy.lines[5]).toBe('30 p5 approval digest n6');
  });
});

describe('a mute', () => {
  const muted = (rule: MuteRule): Policy => new Policy({ mutes: [rule] });

  it.each<[string, MuteRule, Change]>([
    ['an agent', { agent: 'codex' }, { agent: 'codex' }],
    ['a session by a pattern', { session: 'scratch*' }, { session: 'scratch-2' }],
    ['a target', { target: 'local' }, {}],
    ['everything', {}, {}],
  ])('of %s holds its requests back, and no others', (_what, rule, change) => {
    const policy = muted(rule).row(0, 'a', ['approval r1'], change).pass(day);
    expect(policy.lines).toEqual(['0 a approval muted -']);
    const both = muted({ ...rule, target: 'vm1' })
      .row(0, 'a', ['approval r1'], change)
      .pass(day);
    expect(both.lines).toEqual(['0 a approval at_once n1']);
  });

  it('for a time holds news back; a dialog that is still open is notified at its end', () => {
    const policy = muted({ untilMs: T0 + 600_000 })
      .row(0, 'a', ['completion done@1'])
      .row(1, 'b', ['approval r1'])
      .row(2, 'c', ['approval r2'])
      .row(300, 'c', [])
      .pass(day);
    expect(policy.lines).toEqual([
      '0 a completion muted -',
      '300 c approval over -',
      '600 b approval mute_over n1',
    ]);
  });

  it('by hours of the day holds within them alone', () => {
    const policy = muted({ hours: 'Mon-Fri 12:30-13:00' })
      .row(0, 'a', ['approval r1'])
      .row(2_000, 'b', ['approval r2'])
      .row(2_000, 'c', ['completion done@1'])
      .pass(day);
    expect(policy.lines).toEqual([
      '0 a approval at_once n1',
      '2000 c completion muted -',
      '3600 b approval mute_over n2',
    ]);
  });
});

describe('a snooze', () => {
  const until = (seconds: number): Change => ({ snoozedUntilMs: T0 + seconds * 1_000 });

  it('reminds at its end of what is still open, though it was notified before', () => {
    const policy = new Policy()
      .row(0, 'a', ['approval r1'])
      .row(10, 'a', ['zapproval r1'], until(1_000))
      .row(1_000, 'a', ['approval r1'])
      .pass(day);
    expect(policy.lines).toEqual(['0 a approval at_once n1', '1000 a approval snooze_over n2']);
  });

  it('that a person ends by hand, or that the answer ends, reminds of nothing', () => {
    const policy = new Policy()
      .row(0, 'a', ['approval r1'])
      .row(10, 'a', ['zapproval r1'], until(1_000))
      .row(20, 'a', ['approval r1'])
      .row(100, 'b', ['question r2'])
      .row(101, 'b', ['zquestion r2'], until(1_000))
      .row(1_000, 'b', [])
      .pass(day);
    expect(policy.lines).toEqual(['0 a approval at_once n1', '1000 b question over -']);
  });
});

describe('switching notifications', () => {
  it('on tells nothing of what is open already; off holds back what is undecided', () => {
    const nowMs = T0;
    const wall = { day: 3, minute: 720 };
    const pane: PaneNeeds = {
      paneKey: 'a',
      subject: { agent: 'claude', target: 'local', sessions: ['work'], isSubagent: false },
      needs: [need('approval r1', T0 - 9_000)],
      snoozedUntilMs: null,
      ...{ isHidden: false, isGone: false, isAtRest: false },
    };
    const step = { nowMs, wall, rules: defaults, focused: new Set<string>() };
    const on = stepPolicy(emptyPolicy, { ...step, panes: [pane], isBaseline: true });
    expect(on.decisions.map(({ reason }) => reason)).toEqual(['open_before']);
    const later = stepPolicy(on.state, {
      ...step,
      panes: [{ ...pane, needs: [...pane.needs, need('question r2', T0)] }],
    });
    expect(later.decisions).toEqual([]);
    const off = closePolicy(later.state, T0 + 1_000);
    expect(off.decisions.map(({ reason, episode }) => [reason, episode.requestId])).toEqual([
      ['off', 'r2'],
    ]);
    expect(off.state.episodes.size).toBe(0);
  });
});

describe('a repeat rule that fired', () => {
  it('is notified once, and a row that lists no request does not end it', () => {
    const policy = new Policy().firing(0, 'a', 'rule:1:x').row(1, 'a', []).pass(day);
    expect(policy.lines).toEqual(['0 a rule at_once n1']);
  });

  it('goes out with those that follow it closely, and delays no question of its pane', () => {
    const policy = new Policy()
      .firing(0, 'a', 'rule:1:x')
      .firing(10, 'a', 'rule:1:y')
      .firing(11, 'b', 'rule:1:z')
      .row(12, 'c', ['approval r1'])
      .row(40, 'a', ['question r1'])
      .pass(day);
    expect(policy.lines).toEqual([
      '0 a rule at_once n1',
      '12 c approval at_once n2',
      '30 a rule digest n3',
      '30 b rule digest n3',
      '60 a question digest n4',
    ]);
  });

  it('is held back where it is muted, off, or happened before the eyes of a person', () => {
    const muted = new Policy({ mutes: [{ agent: 'claude' }] }).firing(0, 'a', 'rule:1:x');
    const off = new Policy({ kinds: ['approval'] }).firing(0, 'a', 'rule:1:x');
    const watched = new Policy();
    watched.focused.add('a');
    watched.firing(0, 'a', 'rule:1:x');
    const lines = [muted, off, watched].flatMap((each) => each.pass(day).lines);
    expect(lines).toEqual(['0 a rule muted -', '0 a rule kind_off -', '0 a rule seen -']);
  });
});
