// How soon an action takes effect, beside the same done by bare keys in the same run: from the
// call, or the key, to the request at the model for a prompt, and for an answer to the moment in
// which its dialog is off the screen.

import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from './figures.ts';
import type { LabPane } from './pane.ts';

const LOOK_MS = 20;
const GONE_MS = 30_000;
/** What an action may take above the bare key. */
export const ABOVE_MS_MAX = 1_000;
/** The same in a quick run, which drives two agents at once on a machine that is busy. */
export const QUICK_ABOVE_MS_MAX = 2_500;

export type Effect = 'prompt' | 'approval' | 'denial';
export type EffectCause = 'action' | 'key';

const effects: readonly Effect[] = ['prompt', 'approval', 'denial'];

export class EffectTimes {
  readonly #times = new Map<string, number[]>();
  #beganMs = 0;

  /** Right before the call, or the key. */
  begin(): void {
    this.#beganMs = Date.now();
  }

  /** How long it took. */
  end(effect: Effect, cause: EffectCause, atMs: number): number {
    const key = `${effect} ${cause}`;
    const tookMs = atMs - this.#beganMs;
    this.#times.set(key, [...(this.#times.get(key) ?? []), tookMs]);
    return tookMs;
  }

  /** A line for each effect that was measured both ways. */
  lines(): readonly string[] {
    return this.#measured().map(({ effect, action, key, above }) => {
      const all = this.#of(effect, 'action');
      const spread = `p95 ${percentile(all, 0.95)}, at most ${Math.max(...all)}`;
      const times = `${action} ms by agtmux (${spread}), ${key} ms by the bare key`;
      return `effect of ${effect}s: ${above} ms above the bare key; ${times}`;
    });
  }

  problems(aboveMsMax: number): readonly string[] {
    return this.#measured()
      .filter(({ above }) => above >= aboveMsMax)
      .map(({ effect, above }) => `${effect}s take effect ${above} ms above the bare key`);
  }

  #of(effect: Effect, cause: EffectCause): readonly number[] {
    return this.#times.get(`${effect} ${cause}`) ?? [];
  }

  #measured() {
    return effects.flatMap((effect) => {
      const [action, key] = (['action', 'key'] as const).map((cause) =>
        percentile(this.#of(effect, cause), 0.5),
      );
      if (action === undefined || key === undefined) return [];
      if (Number.isNaN(action) || Number.isNaN(key)) return [];
      return [{ effect, action, key, above: action - key }];
    });
  }
}

/** When the screen no longer shows it. */
export async function goneFrom(pane: LabPane, shown: RegExp): Promise<number> {
  const endMs = Date.now() + GONE_MS;
  while (shown.test(await pane.screen())) {
    if (Date.now() > endMs) throw new Error('the dialog stays on the screen');
    await pause(LOOK_MS);
  }
  return Date.now();
}
