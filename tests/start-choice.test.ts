import { describe, expect, it } from 'vitest';
import { agentCount, argumentsFor } from '../scripts/start-choice.mjs';

const listing = (...presences: readonly string[]): string =>
  JSON.stringify({ panes: presences.map((presence) => ({ presence })) });

describe('what npm start runs without arguments', () => {
  it('is the demo where no agent is found', () => {
    expect(argumentsFor(agentCount(`${listing()}\n`))).toEqual(['demo']);
    expect(argumentsFor(agentCount(`${listing('unmanaged', 'missing')}\n`))).toEqual(['demo']);
  });

  it('is agtmux itself where there are agents', () => {
    expect(argumentsFor(agentCount(`a warning\n${listing('unmanaged', 'managed')}\n`))).toEqual([]);
  });

  it('is agtmux itself where the listing failed, so that it says why', () => {
    for (const output of ['', 'E_DAEMON_DOWN: none\n', '{"panes":3}\n', '{broken\n', '{}']) {
      expect(argumentsFor(agentCount(output))).toEqual([]);
    }
  });
});
