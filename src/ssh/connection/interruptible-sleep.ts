// A wait that can be cut short, as often as needed: a supervisor sleeps in it between two tries.

export interface Nap {
  /** Resolves after the time, or when it is woken. */
  sleep(ms: number): Promise<void>;
  /** Ends the sleep of now, if there is one. */
  wake(): void;
}

export function nap(): Nap {
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
