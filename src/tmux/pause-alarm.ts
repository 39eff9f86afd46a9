// A wait that can be cut short, once and for all following waits: how supervisors close at once.

export interface PauseAlarm {
  /** Resolves after the time, or when the alarm rings or has rung. */
  wait(ms: number): Promise<void>;
  ring(): void;
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
    ring() {
      hasRung = true;
      wake();
    },
  };
}
