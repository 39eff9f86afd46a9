// What `approve` chooses, on every recorded approval: never an option that also allows what comes
// later. `always` is chosen by its own name alone.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { findOption } from '../../src/acting/dialogs/find-option.ts';
import { adapterOf } from '../../src/agents/registry.ts';
import { judgeScreen } from '../../src/agents/screen/rules.ts';
import { viewScreen } from '../../src/agents/screen/screen-view.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});
const lasting = /again|always|session|auto mode|accept edits|remember|all server|allow all/i;

/** Plans after which each edit is asked about. */
const asksEachTime = /\(ask each time\)|manually accept edits/;

/** The recorded dialogs of an agent: their rules, and what finds an option in each. */
function recordedIn(agent: string, kind: string) {
  const adapter = adapterOf(registry, agent);
  if (!adapter) throw new Error(`no adapter ${agent}`);
  const folder = join(root, 'corpus', agent);
  return readdirSync(folder)
    .filter((name) => name.includes(kind))
    .map((name) => {
      const { capture, capture_ansi, pane_title, cols, rows } = JSON.parse(
        readFileSync(join(folder, name), 'utf8'),
      );
      const lines = Array.isArray(capture) ? capture : String(capture).split('\n');
      const screen = { lines, title: pane_title ?? '', cols: cols ?? 80, rows: rows ?? 24 };
      const view = viewScreen({ ...screen, ...(capture_ansi ? { ansi: capture_ansi } : {}) });
      const verdict = judgeScreen(adapter.screen, view);
      const options = verdict?.details.options ?? [];
      const find = (role: 'approve' | 'deny'): string | null => {
        const at = findOption(adapter, { role }, options);
        return typeof at === 'number' ? (options[at]?.label ?? null) : null;
      };
      return { name, rule: verdict?.rule.id, text: verdict?.details.text, find };
    });
}

/** What approve would choose on each recording, where it would choose something. */
const approvedIn = (agent: string): readonly string[] =>
  recordedIn(agent, 'waiting_approval').flatMap(({ find }) => find('approve') ?? []);

it.each(['claude', 'codex', 'gemini', 'copilot'])(
  'both answers to the trust dialogs of %s are found',
  (agent) => {
    const isTrust = ({ rule, text }: { rule?: string | undefined; text?: string | undefined }) =>
      // Codex also asks about hooks there, which has no answer that refuses.
      rule === `${agent}.trust` && text?.startsWith('Hooks') !== true;
    const asked = recordedIn(agent, 'waiting_').filter(isTrust);
    expect(asked.length).toBeGreaterThan(0);
    const missing = asked.filter(({ find }) => !find('approve') || !find('deny'));
    expect(missing.map(({ name }) => name)).toEqual([]);
  },
);

it.each(['claude', 'codex', 'gemini', 'copilot', 'opencode', 'qwen'])(
  'approve of %s never chooses what allows more than this once',
  (agent) => {
    const approved = approvedIn(agent);
    expect(approved.length).toBeGreaterThan(3);
    expect(approved.filter((label) => lasting.test(label) && !asksEachTime.test(label))).toEqual(
      [],
    );
  },
);
