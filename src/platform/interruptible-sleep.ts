// A sleep that can be ended early, alone or with all that follow: supervisors wait in it between
// attempts.

export interface InterruptibleSleep {
  /** Resolves after this time, on `wake`, or at once after `stop`. */
  wait(ms: number): Promise<void>;
  /** Ends this wait and all later ones. */
  stop(): void;
  /** Ends the current wait, if there is one. */
  wake(): void;
}

export function interruptibleSleep(): InterruptibleSleep {
  let isStopped = false;
  let wake: () => void = () => {};
  return {
    wait(ms) {
      if (isStopped) return Promise.resolve();
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
      isStopped = true;
      wake();
    },
  };
}
