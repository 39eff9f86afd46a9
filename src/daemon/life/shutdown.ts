// How the daemon ends. A signal runs the steps that main.ts gives, in order, and exits with 0; a
// step that hangs is cut off by a deadline. A bug of ours ends the process at once with 70: the
// store is whole at every instant, so there is nothing to save.

import type { Log } from '../../platform/log.ts';
import type { Quarantine } from '../engine/quarantine.ts';

/** One thing to close. Steps run one after the other; a failing one does not keep the next. */
export interface ShutdownStep {
  readonly name: string;
  readonly run: () => void | Promise<void>;
}

export interface ShutdownOptions {
  readonly steps: readonly ShutdownStep[];
  readonly log: Log;
  readonly quarantine: Quarantine;
  /** SIGHUP: read the configuration and the rule files again, and reopen the log. */
  readonly onReload: () => void;
  /** A terminal that is closed ends a daemon in its foreground; then SIGHUP is an end. */
  readonly endOnHangUp?: boolean;
  readonly exit?: (code: number) => void;
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 5_000;
/** sysexits' EX_SOFTWARE: our own bug. */
export const DEFECT_EXIT_CODE = 70;
/** Steps were left out: the deadline has passed, or a second signal came. */
export const CUT_OFF_EXIT_CODE = 1;

export class Shutdown {
  readonly #options: ShutdownOptions;
  readonly #exit: (code: number) => void;
  #isEnding = false;

  constructor(options: ShutdownOptions) {
    this.#options = options;
    this.#exit = options.exit ?? ((code) => process.exit(code));
  }

  /** Takes over the signals and the uncaught errors of the process. */
  install(): void {
    const { onReload, endOnHangUp = false } = this.#options;
    process.on('SIGTERM', () => this.end('SIGTERM'));
    process.on('SIGINT', () => this.end('SIGINT'));
    process.on('SIGHUP', () => {
      if (endOnHangUp) this.end('SIGHUP');
      else if (!this.#isEnding) onReload();
    });
    process.on('uncaughtException', (error) => this.defect(error));
    process.on('unhandledRejection', (error) => this.defect(error));
  }

  /** Ends the daemon. A second call exits at once. */
  end(reason: string): void {
    const { log, deadlineMs = DEADLINE_MS } = this.#options;
    if (this.#isEnding) {
      log.warn({ reason }, 'a second request to end came while ending');
      this.#exit(CUT_OFF_EXIT_CODE);
      return;
    }
    this.#isEnding = true;
    log.info({ reason }, 'ending');
    const deadline = setTimeout(() => {
      log.error({ deadlineMs }, 'ending took too long');
      this.#exit(CUT_OFF_EXIT_CODE);
    }, deadlineMs);
    this.#runSteps()
      .then(() => this.#exit(0))
      .catch((error: unknown) => this.defect(error))
      .finally(() => clearTimeout(deadline));
  }

  /** Our own bug: what was being applied is written down, and the process ends. */
  defect(error: unknown): void {
    const { log, quarantine } = this.#options;
    try {
      const eventIds = quarantine.applying;
      log.error({ err: error, eventIds }, 'a defect ends the daemon');
      quarantine.defect();
    } finally {
      this.#exit(DEFECT_EXIT_CODE);
    }
  }

  async #runSteps(): Promise<void> {
    for (const { name, run } of this.#options.steps) {
      const startedMs = performance.now();
      try {
        await run();
        const tookMs = Math.round(performance.now() - startedMs);
        this.#options.log.debug({ step: name, tookMs }, 'closed');
      } catch (error) {
        this.#options.log.error({ step: name, err: error }, 'could not be closed');
      }
    }
  }
}
