// Lines of JSON that an agent without a screen of its own prints into its pane, as events: those of
// `codex exec --json`. They are read off the captured screen: the block of such lines at its end,
// which no earlier program can have printed, because a shell prompts in between.

import { createHash } from 'node:crypto';
import type { Adapter, SourceSpec } from '../../agents/adapter.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName } from '../../schema/ids.ts';
import type { CapturedScreen } from '../../tmux/capture.ts';
import { normalise, paneEvidence } from '../evidence.ts';
import type { Daemon } from '../known-pane.ts';
import type { PaneAgent } from '../pane-agent.ts';

/** More lines than a screen has. */
const KEYS_MAX = 512;
/** The start of an object with a type, in the first column. */
const START = /^\{\s?"type":\s?"/;

/** The lines of one runtime that were reported, by their hash, oldest first. */
interface ReportedLines {
  readonly runtimeId: string;
  readonly keys: Set<string>;
}

export class PrintedLines {
  readonly #reported = new Map<string, ReportedLines>();
  readonly #daemon: Daemon;
  readonly #channel: ChannelName;

  constructor(daemon: Daemon, channel: ChannelName) {
    this.#daemon = daemon;
    this.#channel = channel;
  }

  /** Forgets the panes that are gone. */
  keep(listed: ReadonlySet<string>): void {
    for (const paneId of this.#reported.keys()) {
      if (!listed.has(paneId)) this.#reported.delete(paneId);
    }
  }

  /** The evidence of the lines that are new, in their order. */
  read(paneId: string, screen: CapturedScreen, agent: PaneAgent): readonly Evidence[] {
    const spec = printedSourceOf(agent.adapter);
    if (spec === null || screen.inMode || screen.alternateOn) return [];
    const reported = this.#reportedOf(paneId, agent);
    return lastObjects(screen.lines).flatMap((line) => {
      const key = createHash('sha1').update(line).digest('base64url');
      if (reported.keys.has(key)) return [];
      remember(reported.keys, key);
      return this.#evidence(line, key, { agent, spec });
    });
  }

  #reportedOf(paneId: string, { runtime }: PaneAgent): ReportedLines {
    const { runtimeId } = runtime;
    const before = this.#reported.get(paneId);
    if (before?.runtimeId === runtimeId) return before;
    const reported = { runtimeId, keys: new Set<string>() };
    this.#reported.set(paneId, reported);
    return reported;
  }

  #evidence(
    line: string,
    dedupeKey: string,
    { agent, spec }: { readonly agent: PaneAgent; readonly spec: SourceSpec },
  ): readonly Evidence[] {
    const nowMs = this.#daemon.nowMs();
    const signal = normalise(agent.adapter, spec, line, { nowMs });
    if (signal?.kind !== 'claims') return [];
    const { runtimeId } = agent.runtime;
    const reading = { channel: this.#channel, spec, runtimeId, nowMs, dedupeKey };
    return [paneEvidence(signal, this.#daemon, reading)];
  }
}

const printedSourceOf = ({ sources }: Adapter): SourceSpec | null =>
  sources.find(({ parameters }) => parameters['printed'] === 'json') ?? null;

function remember(keys: Set<string>, key: string): void {
  keys.add(key);
  const [oldest] = keys;
  if (keys.size > KEYS_MAX && oldest !== undefined) keys.delete(oldest);
}

/**
 * The whole objects that end a screen; wrapped ones are joined again. None where the last one is
 * not whole: it is still being printed, or was broken off and anything may follow.
 */
function lastObjects(rows: readonly string[]): readonly string[] {
  let objects: string[] = [];
  let open: string | null = null;
  for (const row of rows) {
    if (START.test(row)) open = row;
    else if (open !== null) open += row;
    else if (row.trim() !== '') objects = [];
    if (open === null || !isObject(open)) continue;
    objects.push(open);
    open = null;
  }
  return open === null ? objects : [];
}

function isObject(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
