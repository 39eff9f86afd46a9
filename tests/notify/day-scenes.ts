// The policy table as scenes: what rows say at which second, and what is to be decided, worked out
// by hand from the rules (dwell 5 s, cooldown 60 s, digest 30 s, approvals at once). Scenes share
// no pane, and follow each other late enough to share no digest. Seconds count from the scene's
// start.

import type { AttentionKind } from '../../src/schema/state.ts';

/** What a row says: its requests as `kind id`, with `-` where seen, and what else is true of it. */
export interface RowChange {
  readonly pane: string;
  readonly requests: readonly string[];
  /** What the request asks for, where a source names it. */
  readonly command?: string;
  readonly agent?: string;
  readonly session?: string;
  /** Requests began this long before. */
  readonly agoSeconds?: number;
  readonly snoozedToSecond?: number;
  readonly is?: 'hidden' | 'gone' | 'atRest';
}

export type SceneStep =
  | (RowChange & { readonly at: number })
  /** A person looks at a pane, or at none of this scene. */
  | { readonly at: number; readonly looksAt: string | null }
  | { readonly at: number; readonly muteSession: string; readonly toSecond: number }
  | { readonly at: number; readonly isOn: boolean };

export interface Scene {
  readonly name: string;
  readonly steps: readonly SceneStep[];
  /** `second pane kind reason notification`; the same letter is the same notification. */
  readonly decisions: readonly string[];
}

const rows = (at: number, requests: readonly string[], more: Partial<RowChange> = {}) => ({
  ...{ at, pane: 'a', requests },
  ...more,
});

const scene = (
  name: string,
  steps: readonly SceneStep[],
  ...decisions: readonly string[]
): Scene => ({ name, steps, decisions });

/** One row after the other in panes p0, p1, ..., a second apart from `from`. */
const each = (count: number, from: number, requests: (index: number) => readonly string[]) =>
  Array.from({ length: count }, (_, index) =>
    rows(from + index, requests(index), { pane: `p${index}` }),
  );

export const MUTED_AGENT = 'codex';
export const WORKERS = 'worker-*';
export const OFF_KIND: AttentionKind = 'stuck';

export const scenes: readonly Scene[] = [
  scene(
    'an approval does not wait',
    [rows(0, ['approval r1']), rows(20, [])],
    '0 a approval at_once A',
  ),
  scene(
    'a question waits for the dwell time',
    [rows(0, ['question r1']), rows(60, [])],
    '5 a question dwell A',
  ),
  scene(
    'a question that is answered sooner is held back',
    [rows(0, ['question r1']), rows(4, [])],
    '4 a question over -',
  ),
  scene(
    'a completion is notified',
    [rows(0, ['completion d1'], { is: 'atRest' }), rows(100, [])],
    '5 a completion dwell A',
  ),
  scene(
    'a completion that is seen first is held back',
    [rows(0, ['completion d1'], { is: 'atRest' }), rows(3, [], { is: 'atRest' })],
    '3 a completion seen -',
  ),
  scene(
    'a pane is left alone for the cooldown',
    [
      rows(0, ['completion d1'], { is: 'atRest' }),
      rows(10, []),
      rows(20, ['completion d2'], { is: 'atRest' }),
      rows(90, []),
    ],
    '5 a completion dwell A',
    '65 a completion cooldown_over B',
  ),
  scene(
    'an approval waits for no cooldown',
    [rows(0, ['approval r1']), rows(5, []), rows(9, ['approval r2']), rows(30, [])],
    '0 a approval at_once A',
    '9 a approval at_once B',
  ),
  scene(
    'what follows soon becomes one',
    [
      ...each(4, 0, (index) => [`completion d${index}`]),
      rows(34, [], { pane: 'p2' }),
      rows(60, [], { pane: 'p0' }),
      rows(60, [], { pane: 'p1' }),
      rows(60, [], { pane: 'p3' }),
    ],
    '5 p0 completion dwell A',
    '34 p2 completion over -',
    '35 p1 completion digest B',
    '35 p3 completion digest B',
  ),
  scene(
    'a flood of approvals becomes one after the fifth',
    [...each(7, 0, () => ['approval r1']), ...each(7, 40, () => [])],
    '0 p0 approval at_once A',
    '1 p1 approval at_once B',
    '2 p2 approval at_once C',
    '3 p3 approval at_once D',
    '4 p4 approval at_once E',
    '30 p5 approval digest F',
    '30 p6 approval digest F',
  ),
  scene(
    'what is ready in one moment is one',
    [
      rows(0, ['error e1'], { pane: 'p0' }),
      rows(0, ['crash c1'], { pane: 'p1' }),
      rows(60, [], { pane: 'p0' }),
      rows(60, [], { pane: 'p1' }),
    ],
    '5 p0 error digest A',
    '5 p1 crash digest A',
  ),
  scene(
    'an agent that is muted is held back',
    [rows(0, ['approval r1'], { agent: MUTED_AGENT }), rows(10, [], { agent: MUTED_AGENT })],
    '0 a approval muted -',
  ),
  scene(
    'a worker is silent',
    [rows(0, ['approval r1'], { session: 'worker-1' }), rows(5, [], { session: 'worker-1' })],
    '0 a approval subagent -',
  ),
  scene(
    'a kind that is off is held back',
    [rows(0, [`${OFF_KIND} s1`]), rows(50, [])],
    '0 a stuck kind_off -',
  ),
  scene(
    'a dialog that two sources name is one',
    [
      rows(0, ['approval dialog@0'], { command: 'rm -r build' }),
      rows(1, ['approval toolu_1'], { command: 'rm -r build' }),
      rows(30, []),
    ],
    '0 a approval at_once A',
  ),
  scene(
    'a request is not notified while its state cannot be read',
    [
      rows(0, ['question r1']),
      rows(2, [], { is: 'hidden' }),
      rows(100, ['question r1']),
      rows(150, []),
    ],
    '100 a question still_open A',
  ),
  scene(
    'a request waits while a person looks at its pane',
    [{ at: 0, looksAt: 'a' }, rows(0, ['approval r1']), { at: 1.2, looksAt: null }, rows(30, [])],
    '1.5 a approval left A',
  ),
  scene(
    'a request that a person has seen is held back',
    [
      { at: 0, looksAt: 'a' },
      rows(0, ['question r1']),
      rows(2, ['-question r1']),
      { at: 9, looksAt: null },
      rows(10, []),
    ],
    '2 a question seen -',
  ),
  scene(
    'a snooze reminds at its end',
    [
      rows(0, ['approval r1']),
      rows(10, ['approval r1'], { snoozedToSecond: 300 }),
      rows(300, ['approval r1']),
      rows(320, []),
    ],
    '0 a approval at_once A',
    '300 a approval snooze_over B',
  ),
  scene(
    'a pane that is closed needs nobody',
    [rows(0, ['question r1']), rows(2, [], { is: 'gone' })],
    '2 a question gone -',
  ),
  scene(
    'news that is read late is old',
    [rows(0, ['completion d1'], { agoSeconds: 200 }), rows(10, [])],
    '0 a completion old -',
  ),
  scene(
    'a mute of a session ends',
    [
      { at: 0, muteSession: 'quiet', toSecond: 300 },
      rows(0, ['approval r1'], { session: 'quiet' }),
      rows(0, ['completion d1'], { session: 'quiet', pane: 'b' }),
      rows(350, [], { session: 'quiet' }),
      rows(350, [], { session: 'quiet', pane: 'b' }),
    ],
    '0 b completion muted -',
    '300 a approval mute_over A',
  ),
  scene(
    'switched off and on again',
    [
      rows(0, ['question r1']),
      { at: 2, isOn: false },
      rows(10, ['approval r2']),
      { at: 20, isOn: true },
      rows(40, []),
    ],
    '2 a question off -',
    '20 a approval open_before -',
  ),
];

/** By the clock: at this second of the day, for half an hour. */
export const QUIET_SECOND = 10_800;
export const QUIET_HOURS = '03:00-03:30';

export const quietScene: Scene = scene(
  'quiet hours',
  [
    rows(0, ['question r1'], { pane: 'p0' }),
    rows(0, ['completion d1'], { pane: 'p1' }),
    rows(0, ['approval r1'], { pane: 'p2' }),
    rows(300, [], { pane: 'p2' }),
    rows(1_850, [], { pane: 'p0' }),
    rows(1_850, [], { pane: 'p1' }),
  ],
  '0 p1 completion muted -',
  '300 p2 approval over -',
  '1800 p0 question mute_over A',
);
