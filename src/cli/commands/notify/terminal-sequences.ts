// What makes a terminal show a notification, as bytes: OSC 9, 777 and 99, and the bell. The texts
// are made safe here once more: not one byte of them can end a sequence or begin another. Pure.

import { safeText } from '../../../render/safe-text.ts';

export const terminalSignals = ['osc9', 'osc777', 'osc99', 'bell'] as const;
export type TerminalSignal = (typeof terminalSignals)[number];

export interface ShownText {
  /** Names the notification: a terminal that knows it replaces it. */
  readonly number: number;
  readonly headline: string;
  readonly lines: readonly string[];
}

const ESC = '\x1b';
const END = `${ESC}\\`;
const BELL = '\x07';
/** Longer strings are dropped by some terminals. */
const TEXT_LENGTH = 400;

const isSignal = (word: string): word is TerminalSignal =>
  terminalSignals.some((each) => each === word);

export const parseSignals = (words: readonly string[]): readonly TerminalSignal[] =>
  words.filter(isSignal);

/** The bytes for the terminal itself; behind tmux they are wrapped so that tmux hands them on. */
export function terminalBytes(
  text: ShownText,
  signals: readonly TerminalSignal[],
  { isInTmux }: { readonly isInTmux: boolean },
): string {
  return signals
    .map((signal) => {
      // tmux itself reads a bell, and marks the window.
      if (signal === 'bell') return BELL;
      const bytes = oscOf(text, signal);
      return isInTmux ? throughTmux(bytes) : bytes;
    })
    .join('');
}

/** tmux hands on what is inside, where `allow-passthrough` is on: every ESC in it is doubled. */
const throughTmux = (bytes: string): string =>
  `${ESC}Ptmux;${bytes.replaceAll(ESC, `${ESC}${ESC}`)}${END}`;

function oscOf(
  { number, headline, lines }: ShownText,
  signal: 'osc9' | 'osc777' | 'osc99',
): string {
  const title = shown(headline);
  const body = shown(lines.join(' · '));
  switch (signal) {
    // A text that began with a digit and a semicolon would be another command, such as progress.
    case 'osc9':
      return `${ESC}]9;agtmux: ${title}${body === '' ? '' : ` · ${body}`}${END}`;
    // The first semicolon ends the title.
    case 'osc777':
      return `${ESC}]777;notify;${title.replaceAll(';', ',')};${body}${END}`;
    case 'osc99': {
      const id = `i=agtmux-${number}`;
      const part = (keys: string, value: string): string =>
        `${ESC}]99;${id}:${keys}:e=1;${Buffer.from(value).toString('base64')}${END}`;
      if (body === '') return part('d=1:p=title', title);
      return `${part('d=0:p=title', title)}${part('d=1:p=body', body)}`;
    }
  }
}

const shown = (text: string): string => [...safeText(text)].slice(0, TEXT_LENGTH).join('');
