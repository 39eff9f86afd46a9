// Repeat rules: a person allows one exact command of one kind of agent in one folder some times. A
// rule answers only what the agent itself reported whole, through the same audited action as a
// person, under the name of the rule.

import { createHash, randomBytes } from 'node:crypto';
import {
  type CommandSignature,
  sameSignature,
  wholeCommand,
} from '../../core/view/whole-command.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import type { CallerWitness } from '../../operations/ports/callers-port.ts';
import type { RepeatRulesPort } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import { chooseInputSchema, type RepeatRule } from '../../schema/api/acting.ts';
import type { RequestId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { RepeatRuleTable } from '../../store/tables/repeat-rules.ts';
import type { ActionRunner, CallerJudge } from './action-runner.ts';

/** Requests that a rule has answered, or failed to; each is tried once. */
const TRIED_MAX = 1_000;

/** What a rule did. */
export interface RuleFiring {
  readonly rule: RepeatRule;
  readonly paneKey: string;
  readonly requestId: RequestId;
  /** Of its action in the audit trail. */
  readonly requestRef: string;
  readonly result: string;
  readonly detail: string;
}

export interface RepeatRulesParts {
  readonly nowMs: () => number;
  readonly world: () => World;
  readonly isOn: () => boolean;
  readonly rules: RepeatRuleTable;
  readonly runner: Pick<ActionRunner, 'perform'>;
  readonly callers: Pick<CallerJudge, 'of'>;
  /** Called in the tick in which a request is seen; `onFiring` follows it. */
  readonly onAnswer: (pane: PaneRecord, requestId: RequestId) => void;
  readonly onFiring: (firing: RuleFiring) => void;
  readonly onFault: (fault: Fault) => void;
  readonly onDefect: (error: unknown) => void;
}

export class RepeatRules implements RepeatRulesPort {
  readonly #parts: RepeatRulesParts;
  readonly #tried = new Set<string>();
  /** Those that hold, as they were last read; null: they must be read. */
  #active: readonly RepeatRule[] | null = null;

  constructor(parts: RepeatRulesParts) {
    this.#parts = parts;
  }

  add: RepeatRulesPort['add'] = (pane, input, { actor, witness }) => {
    const { nowMs, world, isOn, rules } = this.#parts;
    const refusal = this.#refuseAgent(witness);
    if (refusal) return refusal;
    if (!isOn()) {
      const hint = 'Set repeat_rules = true in the [acting] section of config.toml.';
      return refuse('E_NOT_PERMITTED', 'repeat rules are off', { hint });
    }
    if (input.if_version !== undefined && input.if_version !== pane.row.stateVersion) {
      return refuse('E_PRECONDITION_FAILED', 'the pane changed since it was shown');
    }
    const found = wholeCommand(world(), pane, input.request_id as RequestId);
    if (found === null) {
      const detail = 'no source of the agent itself has reported the whole command of this request';
      return refuse('E_PRECONDITION_FAILED', detail);
    }
    const { targetId: target, ...signature } = found;
    const rule = rules.add({
      ...{ rule_id: randomBytes(4).toString('hex'), target, ...signature },
      ...{ count_left: input.count, created_by: actor },
      ...{ createdAtMs: nowMs(), expiresAtMs: nowMs() + input.expires_in_ms },
    });
    this.#active = null;
    if (rule === null) return refuse('E_PRECONDITION_FAILED', 'too many rules hold already');
    this.follow();
    return ok(rule);
  };

  list: RepeatRulesPort['list'] = (isActiveOnly) =>
    this.#parts.rules.list({ nowMs: this.#parts.nowMs(), isActiveOnly });

  revoke: RepeatRulesPort['revoke'] = (ruleId, witness) => {
    const refusal = this.#refuseAgent(witness);
    if (refusal) return refusal;
    const rule = this.#parts.rules.revoke(ruleId, this.#parts.nowMs());
    this.#active = null;
    return rule
      ? ok(rule)
      : refuse('E_INPUT_INVALID', `no rule has the id ${ruleId}`, {
          hint: 'See agtmux rule list --all.',
        });
  };

  /** Answers what rules hold for. Call it after every change of the world. */
  follow(): void {
    if (!this.#parts.isOn()) return;
    const active = this.#readActive();
    if (active.length === 0) return;
    for (const pane of this.#parts.world().panes.values()) {
      if (pane.row.state === 'waiting_approval') this.#answer(pane, active);
    }
  }

  #readActive(): readonly RepeatRule[] {
    const { rules, nowMs, onFault } = this.#parts;
    try {
      this.#active ??= rules.list({ nowMs: nowMs(), isActiveOnly: true });
      return this.#active;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      return [];
    }
  }

  #answer(pane: PaneRecord, active: readonly RepeatRule[]): void {
    const { world, onDefect } = this.#parts;
    for (const { kind, requestId } of pane.row.attention.requests) {
      if (kind !== 'approval') continue;
      const key = `${pane.paneKey} ${requestId}`;
      const signature = this.#tried.has(key) ? null : wholeCommand(world(), pane, requestId);
      const rule = signature && active.find((each) => sameSignature(signatureOf(each), signature));
      if (!rule) continue;
      if (this.#tried.size >= TRIED_MAX) this.#tried.clear();
      this.#tried.add(key);
      this.#fire(rule, pane, requestId).catch(onDefect);
    }
  }

  async #fire({ rule_id }: RepeatRule, pane: PaneRecord, requestId: RequestId): Promise<void> {
    const { rules, nowMs, onAnswer, onFiring, onFault } = this.#parts;
    let rule: RepeatRule | null = null;
    try {
      rule = rules.use(rule_id, nowMs());
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
    }
    this.#active = null;
    if (rule === null) return;
    onAnswer(pane, requestId);
    const { paneKey } = pane;
    // The same request is answered once, also after a restart.
    const requestRef = `rule:${rule_id}:${hashOf(`${paneKey} ${requestId}`)}`;
    const outcome = await this.#approve(rule, pane, { requestId, requestRef });
    onFiring({ rule, paneKey, requestId, requestRef, ...outcome });
  }

  async #approve(
    rule: RepeatRule,
    pane: PaneRecord,
    { requestId, requestRef }: { readonly requestId: RequestId; readonly requestRef: string },
  ): Promise<Pick<RuleFiring, 'result' | 'detail'>> {
    const { runner, onFault } = this.#parts;
    const input = chooseInputSchema.parse({
      ...{ ref: pane.paneKey, request_id: requestId, choice: { role: 'approve' } },
      ...{ if_version: pane.row.stateVersion, if_runtime: pane.runtimeId ?? undefined },
      request_ref: requestRef,
    });
    try {
      const outcome = await runner.perform(
        pane,
        { kind: 'choose', input, shownCommand: rule.command },
        {
          actor: `rule:${rule.rule_id}`,
          signal: new AbortController().signal,
          commit: () => {},
        },
      );
      if (!outcome.ok) {
        const { code, message } = outcome.refusal;
        return { result: 'refused', detail: `${code}: ${message}` };
      }
      const { result, detail } = outcome.value;
      return { result: result ?? 'unconfirmed', detail: detail ?? '' };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      onFault(error);
      return { result: 'unconfirmed', detail: error.message };
    }
  }

  /** An agent must not allow its own commands, whatever the configuration says. */
  #refuseAgent(witness: CallerWitness): Outcome<never> | null {
    if (this.#parts.callers.of(witness).kind === 'person') return null;
    return refuse('E_NOT_PERMITTED', 'a command that an agent runs may not change repeat rules');
  }
}

/** Keys and ids are longer than a reference may be. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const signatureOf = ({ target, agent, folder, tool, command }: RepeatRule): CommandSignature => ({
  targetId: target,
  ...{ agent, folder, tool, command },
});
