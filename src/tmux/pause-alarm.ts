// A wait that can be cut short: alone, or with all that follow, which is how supervisors close.

export interface PauseAlarm {
  /** Resolves after the time, or when the alarm rings or has rung. */
  wait(ms: number): Promise<void>;
  ring(): void;
  /** Ends the wait of now, if there is one. */
  nudge(): void;
}

/** An alarm that has not rung. */
export function pauseAlarm(): PauseAlarm {
  let hasRung = false;
  let wake: () => void = () => {};
  return {
    wait(ms) {
      if (hasRung) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      return promise;
    },
    nudge: () => wake(),
    ring() {
      hasRung = true;
      wake();
    },
  };
}
