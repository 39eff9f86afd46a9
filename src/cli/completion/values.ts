// The words that only a running daemon knows: panes, targets, sessions, agents, alerts, deliveries,
// channels and mutes of notifications; each with a description. Starts no daemon, and is silent
// where none answers.

import type { DaemonClient } from '../../client/client.ts';
import { titleText } from '../../render/pane-notes.ts';
import { safeText } from '../../render/safe-text.ts';
import { typedNames } from '../../render/typed-names.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { Call, ValueSource } from '../command.ts';
import { findDaemon } from '../daemon-link.ts';

type Word = readonly [word: string, about: string];

/** More than a person looks through. */
const WORDS_MAX = 500;

/** Lines of a word, a tab and its description. */
export async function completionValues(
  call: Call,
  source: ValueSource,
): Promise<readonly string[]> {
  const client = await findDaemon(call).catch(() => null);
  if (client === null) return [];
  try {
    const words = await readers[source](client);
    return (
      [...new Map(words)]
        // A word that is printed otherwise than it is cannot be typed.
        .filter(([word]) => word !== '' && word === safeText(word))
        .slice(0, WORDS_MAX)
        .map(([word, about]) => `${word}\t${safeText(about)}`)
    );
  } catch {
    return [];
  } finally {
    client.close();
  }
}

type Reader = (client: DaemonClient) => Promise<readonly Word[]>;

const readers: Readonly<Record<ValueSource, Reader>> = {
  refs: async (client) => refWords((await client.call('list_panes', {})).panes),
  targets: async (client) => {
    const { panes } = await client.call('list_panes', {});
    const { targets } = await client.call('list_targets', {});
    return targets.flatMap(({ name, target, health }) => [
      [name, health] as const,
      ...serverWords(target, panes),
    ]);
  },
  sessions: async (client) => {
    const { sessions } = await client.call('list_sessions', {});
    return sessions.map(({ identity, agents, top_state }) => [
      identity.session_name,
      agents === 0 ? 'no agent' : `${agents} agents, ${top_state}`,
    ]);
  },
  deliveries: async (client) => {
    const { deliveries } = await client.call('list_deliveries', {});
    return deliveries.map(({ delivery_id, text }) => [delivery_id, text]);
  },
  agents: async (client) => {
    const { adapters } = await client.call('list_adapters', {});
    return adapters.map(({ agent, title }) => [agent, title]);
  },
  channels: async (client) => {
    const { channels } = await client.call('notify_status', {});
    const words = channels.map(
      ({ channel, used }) => [channel, used ? 'used' : 'not used'] as const,
    );
    return [...words, ['terminal', 'agtmux notify listen']];
  },
  mutes: async (client) => {
    const { mutes } = await client.call('notify_status', {});
    return mutes.flatMap(({ id, agent, session, target, hours }) => {
      const about = [agent, session, target, hours].filter((each) => each !== null).join(', ');
      return id === null ? [] : [[id, about || 'everything'] as const];
    });
  },
  alerts: async (client) => {
    const { alerts } = await client.call('list_alerts', {});
    return alerts.map(({ alert_id, code, about }) => [alert_id, `${code}: ${about}`]);
  },
};

/** Names that people gave, then what tables print. */
function refWords(panes: readonly PaneItem[]): readonly Word[] {
  const nameOf = typedNames(panes);
  const about = (pane: PaneItem): string =>
    pane.agent === null
      ? `no agent, ${pane.current_cmd}`
      : `${pane.agent}, ${pane.state}, ${titleText({ unicode: true }, pane)}`;
  const aliases = panes.flatMap((pane): readonly Word[] =>
    pane.alias === null ? [] : [[pane.alias, about(pane)]],
  );
  const places = panes.flatMap((pane): readonly Word[] =>
    pane.identity === null ? [] : [[nameOf(pane), about(pane)]],
  );
  return [...aliases, ...places];
}

/** `local+work` for each server, where a target has more than one. */
function serverWords(target: string, panes: readonly PaneItem[]): readonly Word[] {
  const own = panes.flatMap(({ identity }) =>
    identity?.target === target ? [identity.server] : [],
  );
  const servers = [...new Set(own)];
  if (servers.length < 2) return [];
  return servers.map((server) => [
    `${target}+${server.slice(server.lastIndexOf('/') + 1)}`,
    `the tmux server ${server}`,
  ]);
}
