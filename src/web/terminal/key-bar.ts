// The keys that the keyboard of a phone lacks, as a row of buttons. Ctrl holds for one more key.

interface BarKey {
  readonly label: string;
  /** Read aloud; it holds the label where that is a word, for those who speak what they press. */
  readonly name: string;
  /** What a terminal sends for it; none for Ctrl. */
  readonly data?: string;
}

const keys: readonly BarKey[] = [
  { label: 'Esc', name: 'Esc', data: '\u001b' },
  { label: 'Tab', name: 'Tab', data: '\t' },
  { label: '⇧Tab', name: '⇧Tab: Shift and Tab', data: '\u001b[Z' },
  { label: 'Ctrl', name: 'Ctrl, for the next key' },
  { label: '←', name: 'Left', data: '\u001b[D' },
  { label: '↑', name: 'Up', data: '\u001b[A' },
  { label: '↓', name: 'Down', data: '\u001b[B' },
  { label: '→', name: 'Right', data: '\u001b[C' },
  { label: '⏎', name: 'Enter', data: '\r' },
];

const style = `
.agtmux-keys { display: flex; gap: 4px; padding: 4px; overflow-x: auto; background: #161b22; }
.agtmux-keys button {
  flex: 1 0 auto; min-width: 36px; min-height: 44px; padding: 0 4px; border: 1px solid #30363d;
  border-radius: 6px; background: #21262d; color: #e6edf3; font: 14px system-ui, sans-serif;
  touch-action: manipulation;
}
.agtmux-keys button[aria-pressed='true'] { background: #1f6feb; border-color: #1f6feb; }
`;

export class KeyBar {
  readonly element: HTMLElement;
  readonly #onData: (data: string) => void;
  readonly #control: HTMLButtonElement | undefined;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
    this.element = document.createElement('div');
    this.element.className = 'agtmux-keys';
    this.element.setAttribute('role', 'toolbar');
    this.element.setAttribute('aria-label', 'Keys');
    const sheet = document.createElement('style');
    sheet.textContent = style;
    const buttons = keys.map((key) => this.#button(key));
    this.#control = buttons.find((button) => button.ariaPressed !== null);
    this.element.append(sheet, ...buttons);
  }

  /** What a typed text is with a Ctrl that was pressed before it. */
  withControl(data: string): string {
    if (this.#control?.ariaPressed !== 'true') return data;
    this.#control.ariaPressed = 'false';
    const code = data.toUpperCase().charCodeAt(0);
    const isPlain = data.length === 1 && code >= 0x40 && code <= 0x5f;
    return isPlain ? String.fromCharCode(code & 0x1f) : data;
  }

  #button({ label, name, data }: BarKey): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.ariaLabel = name;
    // The keyboard of the phone stays open, because the terminal keeps the focus.
    button.addEventListener('pointerdown', (event) => event.preventDefault());
    if (data === undefined) {
      button.ariaPressed = 'false';
      button.addEventListener('click', () => {
        button.ariaPressed = button.ariaPressed === 'true' ? 'false' : 'true';
      });
    } else button.addEventListener('click', () => this.#onData(data));
    return button;
  }
}
