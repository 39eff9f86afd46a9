import { describe, expect, it } from 'vitest';
import { type Figures, failuresOf, figuresOf, percent, percentile } from '../../lab/figures.ts';
import type { AnswerChange } from '../../lab/sample.ts';
import type { Timeline } from '../../lab/score.ts';
import { lagTable, latencyTable, scoreboard } from '../../lab/scoreboard.ts';
import { lagsOf } from '../../lab/signal-lag.ts';

const about = { agent: 'claude', version: '1.2.3', mode: 'without hooks' } as const;

/** Right for the given share of a step of 11 s, of which 10 s are judged. */
function timeline(share: number): Timeline {
  const samples = Array.from({ length: 220 }, (_, index) => ({
    atMs: index * 50,
    answer: index * 50 < 1_000 + share * 10_000 ? 'running' : 'idle',
  }));
  const truths = [{ step: 'streaming', truth: 'running', atMs: 0 }] as const;
  return { scenario: 'tour', truths, endMs: 11_000, samples, changes: [] };
}

function figures(share: number, more: Partial<Figures> = {}): Figures {
  const names = { ...about, scenario: 'tour', day: '2026-01-31', load: 2.25 };
  const played = { ...names, timelines: [timeline(share)], lags: [], fault: null };
  return { ...figuresOf(about, [played]), ...more };
}

describe('the gate of the lab', () => {
  it('holds when the score is reached', () => {
    expect(failuresOf(figures(1), false)).toEqual([]);
  });

  it('fails under the score, by less in a quick run', () => {
    expect(failuresOf(figures(0.95), false)).toEqual([
      'claude without hooks: 95.0 % is under 97.0 %',
    ]);
    expect(failuresOf(figures(0.95), true)).toEqual([]);
    expect(failuresOf(figures(0.85), true)).toHaveLength(1);
  });

  it('fails when nothing was judged', () => {
    const empty = figuresOf(about, []);
    expect(failuresOf(empty, true)).toHaveLength(1);
  });

  it('fails by a wait that was missed, by slow signals and by a driver that failed', () => {
    const wait = { kind: 'missed', scenario: 'tour', step: 'shell dialog', seconds: 3 } as const;
    expect(failuresOf(figures(1, { waits: [wait] }), false)).toHaveLength(1);
    const lags = [{ source: 'title', ms: 400 }];
    expect(failuresOf(figures(1, { lags }), false)).toHaveLength(1);
    const faulty = figures(1, { faults: ['tour: no dialog'] });
    expect(failuresOf(faulty, false)).toHaveLength(1);
    expect(failuresOf(faulty, true)).toEqual([]);
    expect(failuresOf({ ...faulty, score: Number.NaN }, true)).toHaveLength(1);
  });
});

describe('figures of several runs', () => {
  it('name every scenario, the oldest day and the mean load', () => {
    const one = { ...about, timelines: [timeline(1)], lags: [], fault: null };
    const played = [
      { ...one, scenario: 'tour', day: '2026-02-01', load: 1 },
      { ...one, scenario: 'life', day: '2026-01-31', load: 3 },
    ];
    const { scenarios, day, load } = figuresOf(about, played);
    expect({ scenarios, day, load }).toEqual({
      scenarios: ['tour', 'life'],
      day: '2026-01-31',
      load: 2,
    });
  });
});

describe('the scoreboard', () => {
  it('has the machine, the scores and every wrong second', () => {
    const machine = { cores: 2, memoryGb: 8, system: 'Linux 6.1', tmux: 'tmux 3.3a' };
    const page = scoreboard([figures(0.9)], machine);
    expect(page).toContain('Machine: 2 cores, 8 GB, Linux 6.1, tmux 3.3a.');
    expect(page).toContain(
      '| claude | 1.2.3 | without hooks | 90.0 % | 0 | 0 | 1.0 | 1 | 2.3 | 2026-01-31 |',
    );
    expect(page).toContain('| start → running | tour: streaming | idle | 1.0 |');
  });

  it('keeps what it said of runs that were not played again, and of no other version', () => {
    const machine = { cores: 2, memoryGb: 8, system: 'Linux 6.1', tmux: 'tmux 3.3a' };
    const lags = [{ source: 'title', ms: 10 }];
    const hooks = figures(0.5, { mode: 'with hooks', lags });
    const ssh = figures(0.7, { mode: 'over ssh', version: '1.0.0' });
    const text = scoreboard([figures(0.9), hooks, ssh], machine);
    const again = [{ source: 'osc-7501', ms: 20 }];
    const labels = (['without hooks', 'with hooks', 'over ssh'] as const).map((mode) => {
      const { agent, version } = hooks;
      return { agent, version, mode };
    });
    const page = scoreboard([figures(0.4, { lags: again })], machine, { labels, text });
    const isOf = (word: string) => (line: string) =>
      line.startsWith('| claude') && line.includes(word);
    const lines = page.split('\n');
    expect(lines.find(isOf('without hooks'))).toContain('40.0 %');
    expect(lines.find(isOf('with hooks'))).toContain('50.0 %');
    expect(lines.some(isOf('over ssh'))).toBe(false);
    expect(lines.filter((line) => line.startsWith('## claude'))).toEqual([
      '## claude without hooks',
      '## claude with hooks',
    ]);
    expect(page).toContain('| osc-7501 | 1 | 20 | 20 |\n| title | 1 | 10 | 10 |');
    expect(scoreboard([], machine, { labels, text: page })).toBe(page);
  });

  it('never rounds up to a whole score', () => {
    expect(percent(0.99999)).toBe('99.9 %');
    expect(percent(1)).toBe('100.0 %');
  });

  it('counts transitions that were never reported apart from late ones', () => {
    const latency = { transition: 'idle → running', scenario: 'tour', step: 'prompt' };
    const table = latencyTable([
      { ...latency, ms: 40 },
      { ...latency, ms: 80 },
      { ...latency, ms: null },
    ]);
    expect(table).toContain('| idle → running | 2 | 40 | 80 | 1 |');
  });

  it('has a row for each source of signals', () => {
    const lags = [
      { source: 'title', ms: 10 },
      { source: 'osc-7501', ms: 20 },
      { source: 'title', ms: 30 },
    ];
    const rows = lagTable([figures(1, { lags })])
      .split('\n')
      .slice(2);
    expect(rows).toEqual(['| osc-7501 | 1 | 20 | 20 |', '| title | 2 | 10 | 30 |']);
  });

  it('takes the nearest rank as percentile', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(percentile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('the lag of a signal', () => {
  const change = (atMs: number, source: string, evidenceAtMs: number): AnswerChange => ({
    atMs,
    answer: 'running',
    source,
    rule: null,
    evidenceAtMs,
  });
  const first = change(0, 'screen', 0);

  it('of a hook or a file counts from its own time', () => {
    const changes = [first, change(1_200, 'claude-hooks', 1_150)];
    expect(lagsOf(changes, [])).toEqual([{ source: 'claude-hooks', ms: 50 }]);
  });

  it('of a title or an OSC counts from the last bytes of the tap', () => {
    const signals = [
      { kind: 'title', paneId: '%1', atMs: 1_000 },
      { kind: 'osc7501', paneId: '%1', atMs: 1_190 },
      { kind: 'title', paneId: '%1', atMs: 1_300 },
    ] as const;
    const changes = [first, change(1_200, 'title', 1_199), change(1_400, 'osc-7501', 1_399)];
    expect(lagsOf(changes, signals)).toEqual([{ source: 'title', ms: 200 }]);
  });

  it('is not that of an interruption which was judged by silence', () => {
    const judged = { ...change(1_700, 'osc-7501', 1_100), answer: 'idle/interrupted' };
    const signals = [{ kind: 'osc7501', paneId: '%1', atMs: 1_100 }] as const;
    expect(lagsOf([first, judged], signals)).toEqual([]);
    const lone = { ...change(1_700, 'codex-rollout', 1_690), answer: 'idle/interrupted' };
    expect(lagsOf([first, lone], [])).toEqual([{ source: 'codex-rollout', ms: 10 }]);
  });

  it('is not that of a reason which another source has added', () => {
    const changes = [
      first,
      change(1_200, 'claude-hooks', 1_150),
      change(3_000, 'claude-hooks', 1_150),
    ];
    expect(lagsOf(changes, [])).toEqual([{ source: 'claude-hooks', ms: 50 }]);
  });

  it('is not that of our own look, nor of an older signal that wins again', () => {
    const changes = [first, change(500, 'screen', 400), change(1_000, 'claude-hooks', 450)];
    expect(lagsOf(changes, [])).toEqual([]);
  });
});
