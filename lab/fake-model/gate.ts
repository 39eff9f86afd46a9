// A gate holds an answer of the fake model until the driver opens it: so the script, and not a
// timer, decides when a turn ends.

export class Gate {
  readonly opened: Promise<void>;
  #isOpen = false;
  #resolve: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#resolve();
  }
}
