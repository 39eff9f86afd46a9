// Keeps the alerts: opens one when a condition begins, changes it when the condition does, and
// resolves it when the condition ends. The conditions are in alert-rules.ts. An alert that
// a person has resolved stays so until its condition has ended and begun again.

import { Fault } from '../../platform/fault.ts';
import type { AlertItem } from '../../schema/api/health.ts';
import { id, isChannelOf, type TargetId } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { AlertQuery, AlertTable } from '../../store/tables/alerts.ts';
import {
  type AlertCode,
  type AlertKey,
  type AlertSignal,
  type Condition,
  rule,
  SERVER_ENDED_MS,
} from './alert-rules.ts';
import type { StandingCondition } from './outages.ts';

export interface AlertsOptions {
  readonly store: AlertTable;
  readonly nowMs: () => number;
  readonly openMax: () => number;
  /** The store could not write; the condition is kept in memory and tried again with its signal. */
  readonly onFault: (error: unknown) => void;
  /** Conditions began, changed or ended. */
  readonly onChange?: () => void;
}

interface Kept {
  readonly condition: Condition;
  readonly openedAtMs: number;
  /** Null: not in the store, because a person has resolved it or the store failed. */
  alertId: string | null;
  isMuted: boolean;
}

/** What happened once and cannot be measured again stays open over a restart, for so long. */
const lastingMs: ReadonlyMap<string, number> = new Map<AlertCode, number>([
  ['event_quarantined', Number.POSITIVE_INFINITY],
  ['tmux_ended', SERVER_ENDED_MS],
]);

const keyOf = ({ code, about }: AlertKey): string => `${code} ${about}`;

export class Alerts {
  readonly #options: AlertsOptions;
  readonly #kept = new Map<string, Kept>();
  #isTelling = false;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  /** Resolves the open alerts of an earlier run whose condition is measured again. */
  begin(): void {
    const { store, nowMs } = this.#options;
    this.#try(() => {
      for (const alert of store.list({ includeResolved: false })) {
        const kept = restored(alert);
        const { endsAtMs = 0 } = kept.condition;
        if (endsAtMs > nowMs()) this.#kept.set(keyOf(kept.condition), kept);
        else store.resolve(alert.alert_id, 'auto', nowMs());
      }
    });
  }

  /** Takes a signal of a part of the daemon. */
  signal(signal: AlertSignal): void {
    const { standing, ended, endedCode, endedTarget } = rule(signal, this.#options.nowMs());
    const stands = new Set(standing.map(keyOf));
    const gone = [...this.#kept.values()]
      .map(({ condition }) => condition)
      .filter(
        (condition) =>
          condition.code === endedCode ||
          (endedTarget !== undefined && isAboutTarget(condition, endedTarget)),
      );
    for (const key of [...ended, ...gone]) if (!stands.has(keyOf(key))) this.#end(key);
    for (const condition of standing) this.#stand(condition);
  }

  /** Ends conditions that were not reported again in time. Call it now and then. */
  tick(): void {
    const nowMs = this.#options.nowMs();
    const over = [...this.#kept.values()].filter(
      ({ condition }) => (condition.endsAtMs ?? Number.POSITIVE_INFINITY) <= nowMs,
    );
    for (const { condition } of over) this.#end(condition);
  }

  /** The conditions that stand now and that nobody has resolved by hand. */
  standing(): readonly StandingCondition[] {
    return [...this.#kept.values()].filter(({ isMuted }) => !isMuted);
  }

  /** Also what the store could not take; all from memory when it cannot be read. */
  list(query: AlertQuery): readonly AlertItem[] {
    const stored = this.#stored(query);
    const kept = [...this.#kept.values()].filter(({ isMuted }) => !isMuted);
    const unstored = stored === null ? kept : kept.filter(({ alertId }) => alertId === null);
    return [...unstored.map(itemOf), ...(stored ?? [])];
  }

  acknowledge(alertId: string): Outcome<AlertItem> {
    const { store, nowMs } = this.#options;
    const alert = store.acknowledge(alertId, nowMs());
    return alert ? ok(alert) : unknown(alertId);
  }

  /** Resolves an alert for a person; its condition does not open it again. */
  resolve(alertId: string): Outcome<AlertItem> {
    const { store, nowMs } = this.#options;
    const alert = store.resolve(alertId, 'operator', nowMs());
    if (!alert) return unknown(alertId);
    const kept = this.#kept.get(keyOf(alert as AlertKey));
    if (kept) Object.assign(kept, { alertId: null, isMuted: true });
    this.#options.onChange?.();
    return ok(alert);
  }

  #stand(condition: Condition): void {
    const key = keyOf(condition);
    const before = this.#kept.get(key);
    const isNews = before === undefined || !isSame(before.condition, condition);
    const openedAtMs = condition.sinceMs ?? this.#options.nowMs();
    const kept: Kept = { alertId: null, isMuted: false, openedAtMs, ...before, condition };
    // Beyond the limit nothing is kept, so memory and store have the same bound.
    if (before === undefined && this.#kept.size >= this.#options.openMax()) {
      this.#tooMany();
      return;
    }
    this.#kept.set(key, kept);
    if (isNews) this.#options.onChange?.();
    if (kept.isMuted || (kept.alertId !== null && !isNews)) return;
    this.#open(kept);
  }

  #open(kept: Kept): void {
    this.#try(() => {
      kept.alertId = this.#store(kept, this.#options.nowMs());
    });
  }

  #store({ condition, openedAtMs, alertId }: Kept, nowMs: number): string {
    const { code, about, level, detail } = condition;
    const atMs = alertId === null ? openedAtMs : nowMs;
    return this.#options.store.open({ code, about, level, detail, atMs }).alert_id;
  }

  /** Null when the store cannot be read. */
  #stored(query: AlertQuery): readonly AlertItem[] | null {
    try {
      return this.#options.store.list(query);
    } catch (error) {
      if (error instanceof Fault) return null;
      throw error;
    }
  }

  #end(key: AlertKey): void {
    const { store, nowMs } = this.#options;
    const kept = this.#kept.get(keyOf(key));
    if (kept === undefined) return;
    // A condition that could not be resolved in the store stays, and is ended by its next signal.
    // One that could not be opened there leaves its trace now.
    const isDone = this.#try(() => {
      if (!kept.isMuted) store.resolve(kept.alertId ?? this.#store(kept, nowMs()), 'auto', nowMs());
    });
    if (!isDone) return;
    this.#kept.delete(keyOf(key));
    this.#options.onChange?.();
    if (this.#kept.size < this.#options.openMax()) this.#enough();
  }

  #tooMany(): void {
    const about = 'alerts';
    const detail = `more than ${this.#options.openMax()} conditions stand; the rest is not listed`;
    const condition: Condition = { code: 'too_many_alerts', about, level: 'degraded', detail };
    if (this.#kept.has(keyOf(condition))) return;
    const openedAtMs = this.#options.nowMs();
    const kept: Kept = { condition, openedAtMs, alertId: null, isMuted: false };
    this.#kept.set(keyOf(condition), kept);
    this.#open(kept);
  }

  #enough(): void {
    const key: AlertKey = { code: 'too_many_alerts', about: 'alerts' };
    if (this.#kept.has(keyOf(key))) this.#end(key);
  }

  // A fault of the store is itself a signal, and that cannot be stored either.
  #tellFault(error: unknown): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      this.#options.onFault(error);
    } finally {
      this.#isTelling = false;
    }
  }

  #try(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#tellFault(error);
      return false;
    }
  }
}

/** Of itself, of one of its channels, or of one of its tmux servers. */
const isAboutTarget = ({ about }: Condition, targetId: TargetId): boolean =>
  about === targetId || isChannelOf(id(about), targetId) || about.startsWith(`${targetId}:`);

const isSame = (a: Condition, b: Condition): boolean =>
  a.level === b.level && a.detail === b.detail;

function restored(alert: AlertItem): Kept {
  const { code, about, level, detail, alert_id: alertId } = alert;
  const openedAtMs = Date.parse(alert.opened_at);
  const endsAtMs = openedAtMs + (lastingMs.get(code) ?? 0);
  const condition = { code: code as AlertCode, about, level, detail, endsAtMs };
  return { condition, openedAtMs, alertId, isMuted: false };
}

/** An alert that is not in the store; it has an id to type once it is. */
function itemOf({ condition, openedAtMs, alertId }: Kept): AlertItem {
  const { code, about, level, detail } = condition;
  const openedAt = new Date(openedAtMs).toISOString();
  return {
    alert_id: alertId ?? 'unstored',
    ...{ code, about, level, detail },
    opened_at: openedAt,
    updated_at: openedAt,
    acknowledged_at: null,
    resolved_at: null,
    resolved_by: null,
  };
}

const unknown = (alertId: string) =>
  refuse('E_REF_NOT_FOUND', `no open alert has the id ${alertId.slice(0, 64)}`, {
    hint: 'agtmux alerts prints the open ones with their ids.',
  });
