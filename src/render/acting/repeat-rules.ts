// What `rule list` prints: commands that are approved without asking. Pure.

import type { RepeatRule } from '../../schema/api/acting.ts';
import { type Column, renderGrid } from '../grid.ts';
import { clockText } from '../pane-notes.ts';
import { sanitise, type View } from '../view.ts';

const ruleColumns: readonly Column[] = [
  { title: 'RULE', rank: 0, min: 8 },
  { title: 'AGENT', rank: 1, min: 5 },
  { title: 'LEFT', rank: 0, min: 4 },
  { title: 'UNTIL', rank: 1, min: 5 },
  { title: 'FOLDER', rank: 3, min: 8 },
  { title: 'COMMAND', rank: 0, min: 12 },
];

export function renderRules(view: View, rules: readonly RepeatRule[]): string {
  if (rules.length === 0) return 'No rules.\n';
  const rows = rules.map((rule) => [
    { text: rule.rule_id },
    { text: sanitise(view, rule.agent) },
    { text: rule.revoked_at === null ? `${rule.count_left}` : 'revoked' },
    { text: clockText(view, Date.parse(rule.expires_at)) },
    { text: sanitise(view, rule.folder) },
    { text: sanitise(view, rule.command) },
  ]);
  return `${renderGrid(view, [...ruleColumns], rows)}\n`;
}
