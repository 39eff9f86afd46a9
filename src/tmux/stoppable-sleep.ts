// A wait that can be cut short: alone, or with all that follow, which is how supervisors close.

export interface StoppableSleep {
  /** Resolves after the time, or when the alarm rings or has rung. */
  wait(ms: number): Promise<void>;
  stop(): void;
  /** Ends the wait of now, if there is one. */
  wake(): void;
}

/** An alarm that has not rung. */
export function stoppableSleep(): StoppableSleep {
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
    wake: () => wake(),
    stop() {
      hasRung = true;
      wake();
    },
  };
}
