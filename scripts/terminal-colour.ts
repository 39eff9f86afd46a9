// Converts terminal colours to SVG: the sixteen by a palette, the 256 and the direct ones by their
// formula. Pure.

export interface Theme {
  readonly background: string;
  readonly foreground: string;
  /** Of the window. */
  readonly border: string;
  /** The sixteen colours. */
  readonly palette: readonly string[];
}

/** With enough contrast for small text. */
export const dark: Theme = {
  background: '#0d1117',
  foreground: '#c9d1d9',
  border: '#30363d',
  palette: [
    ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
    ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
  ],
};

/** As terminals with a light background have it by default, with their pale yellow and green. */
export const light: Theme = {
  background: '#ffffff',
  foreground: '#24292f',
  border: '#d0d7de',
  palette: [
    ...['#24292f', '#cf222e', '#2da44e', '#c4a000', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
    ...['#57606a', '#a40e26', '#4ac26b', '#d4b72f', '#218bff', '#a475f9', '#3192aa', '#8c959f'],
  ],
};

const hex = (...levels: readonly number[]): string =>
  `#${levels.map((level) => Math.min(255, level).toString(16).padStart(2, '0')).join('')}`;

/** The steps of one channel in the cube of 216 colours. */
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255];

function indexed(index: number, { palette }: Theme): string | null {
  if (index < 16) return palette[index] ?? null;
  if (index > 255) return null;
  if (index >= 232) {
    const level = 8 + (index - 232) * 10;
    return hex(level, level, level);
  }
  const place = index - 16;
  const levelOf = (step: number): number => CUBE_LEVELS[step % 6] ?? 0;
  return hex(levelOf(Math.floor(place / 36)), levelOf(Math.floor(place / 6)), levelOf(place));
}

/** A colour of a TextStyle: `31`, `38;5;208`, `38:2::1:2:3`. Null: the terminal's own. */
export function colourOf(colour: string, theme: Theme = dark): string | null {
  if (colour === '') return null;
  const numbers = colour.split(/[;:]/).filter((word) => word !== '');
  const [code = 0, kind = 0, ...rest] = numbers.map(Number);
  if (numbers.length === 1) return indexed(code >= 90 ? (code % 10) + 8 : code % 10, theme);
  if (kind === 5) return indexed(rest[0] ?? 256, theme);
  const [red = 0, green = 0, blue = 0] = rest.slice(-3);
  return hex(red, green, blue);
}
