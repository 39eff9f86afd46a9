// A sleep that can be ended early: a supervisor waits in it between two attempts.

export interface InterruptibleSleep {
  /** Resolves after this time, or on `wake`. */
  sleep(ms: number): Promise<void>;
  /** Ends the current sleep, if there is one. */
  wake(): void;
}

export function interruptibleSleep(): InterruptibleSleep {
  let end: () => void = () => {};
  return {
    sleep(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      end = () => {
        clearTimeout(timer);
        resolve();
      };
      return promise;
    },
    wake() {
      end();
    },
  };
}
