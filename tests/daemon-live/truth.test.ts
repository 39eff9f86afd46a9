// End to end: fake agents that show recorded screens in real panes. What a subscribed client is
// published is the label of the record, at every step.

import { describe, expect, test } from 'vitest';
import { isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

const stories = {
  claude: ['101-idle', '104-running', '111-waiting_approval', '115-running', '113-completed'],
  codex: ['101-idle', '103-running', '110-waiting_approval', '120-running', '113-completed'],
  gemini: ['041-running', '051-waiting_approval', '048-running', '046-completed'],
} as const;
const sequels = {
  claude: ['116-running', '124-waiting_input', '105-running', '132-error'],
  codex: ['104-running', '129-waiting_input', '105-running', '134-error'],
  gemini: ['044-running', '053-waiting_input', '049-running', '059-error'],
} as const;

describe.skipIf(isTmuxMissing)('fake agents in real panes', () => {
  test('a subscriber receives the label of each recorded screen in turn', async () => {
    await using live = new LiveDaemon();
    const agents = (['claude', 'codex', 'gemini'] as const).map((agent) => ({
      agent,
      pane: fakeAgent(live.tmux, agent, agent),
      screens: [...stories[agent], ...sequels[agent]],
    }));
    await live.start();
    using subscriber = new Subscriber(await live.client());
    for (const { agent, pane } of agents) {
      await subscriber.until(pane.paneId, (row) => row.agent === agent, `${agent} is found`);
    }
    const steps = Math.max(...agents.map(({ screens }) => screens.length));
    for (let step = 0; step < steps; step += 1) {
      await Promise.all(
        agents.map(async ({ agent, pane, screens }) => {
          const screen = screens[step];
          if (screen === undefined) return;
          const state = pane.show(`${agent}/${screen}`);
          await subscriber.state(pane.paneId, state, `${state}, showing ${agent}/${screen}`);
        }),
      );
    }
    for (const { agent, pane, screens } of agents) {
      const published = subscriber.states
        .filter(({ paneId, state }) => paneId === pane.paneId && !state.startsWith('unknown'))
        .map(({ state }) => state.split('/')[0] ?? '');
      const labels = screens.map((screen) => screen.split('-')[1] ?? '');
      expect([agent, ...changes(withoutTitles(changes(published)))]).toEqual([
        agent,
        ...changes(labels),
      ]);
    }
  });
});

const changes = (all: readonly string[]): readonly string[] =>
  all.filter((state, index) => state !== all[index - 1]);

/** A title is read first and says less than the screen: something is wanted, or it rests. */
const sayLess = ['waiting_input waiting_approval', 'completed error'];
const withoutTitles = (all: readonly string[]): readonly string[] =>
  all.filter((state, index) => !sayLess.includes(`${state} ${all[index + 1]}`));
