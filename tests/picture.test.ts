// The drawing of terminal screens as SVG: escapes, colours, widths, and that XML readers take it.

import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/script-entry.ts';
import { colourOf } from '../scripts/terminal-colour.ts';
import { renderPicture } from '../scripts/terminal-svg.ts';

const draw = (...screens: readonly string[]): string =>
  renderPicture({ title: 'a & b', columns: 20, rows: 4, screens, secondsEach: 3 });

/** Every text of the picture's grid: where it is, how wide, how it looks and what it says. */
function textsOf(svg: string): readonly Record<string, string>[] {
  const found = svg.matchAll(/<text x="([\d.]+)" y="(\d+)" textLength="([\d.]+)"([^>]*)>([^<]*)</g);
  return [...found].map(([, x = '', y = '', width = '', look = '', text = '']) => ({
    x,
    y,
    width,
    look,
    text,
  }));
}

/** A small reader of XML: names what is not well-formed, or null. */
function xmlFault(text: string): string | null {
  const open: string[] = [];
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z-]+(?::[a-z]+)?="[^"<]*")*)(\/?)>/g;
  let at = 0;
  for (const found of text.matchAll(tag)) {
    const between = text.slice(at, found.index);
    const isText = [...between].every((each) => each >= ' ' || each === '\n');
    if (!isText || /<|&(?!(?:amp|lt|gt|quot);)/.test(between)) return `text: ${between}`;
    at = found.index + found[0].length;
    const [, close, name = '', , alone] = found;
    if (close && open.pop() !== name) return `${name} is closed and was not open`;
    if (!close && !alone) open.push(name);
  }
  if (open.length > 0) return `${open.join(' ')} is left open`;
  return /<|>/.test(text.slice(at)) ? 'something after the end' : null;
}

describe('a screen as SVG', () => {
  it('puts each line on its row and escapes what is markup', () => {
    const svg = draw('if a < b && c\n\n"x"');
    expect(textsOf(svg)).toEqual([
      { x: '0', y: '13', width: '109.2', look: '', text: 'if a &lt; b &amp;&amp; c' },
      { x: '0', y: '49', width: '25.2', look: '', text: '&quot;x&quot;' },
    ]);
    expect(svg).toContain('<title>a &amp; b</title>');
    expect(xmlFault(svg)).toBeNull();
  });

  it('leaves out the blanks around a text, and keeps those in it', () => {
    const texts = textsOf(draw('   a  b   '));
    expect(texts).toEqual([{ x: '25.2', y: '13', width: '33.6', look: '', text: 'a  b' }]);
  });

  it('keeps colours and weights, over the end of a line too', () => {
    const svg = draw('\x1b[1;31mred\x1b[22m on\nnext\x1b[0m plain \x1b[4;2mlow');
    const red = 'style="fill:#ff7b72"';
    expect(textsOf(svg).map(({ look, text }) => [look, text])).toEqual([
      [` class="b" ${red}`, 'red'],
      [` ${red}`, 'on'],
      [` ${red}`, 'next'],
      ['', 'plain'],
      [' class="d u"', 'low'],
    ]);
  });

  it('draws backgrounds, and inverse by the colours that are there', () => {
    const svg = draw('\x1b[44mblue\x1b[0m \x1b[7minv\x1b[0;32;7mx\x1b[0m \x1b[41m  ');
    const boxes = [...svg.matchAll(/<rect x="([\d.]+)" y="0" width="([\d.]+)"[^>]*fill="(.*?)"/g)];
    expect(boxes.map((found) => found.slice(1))).toEqual([
      ['0', '33.6', '#58a6ff'],
      ['42', '25.2', '#c9d1d9'],
      ['67.2', '8.4', '#3fb950'],
      ['84', '16.8', '#ff7b72'],
    ]);
    expect(textsOf(svg).at(1)).toMatchObject({ text: 'inv', look: ' style="fill:#0d1117"' });
  });

  it('gives wide characters two cells and marks none, and cuts at the edge', () => {
    const texts = textsOf(draw(`日本e\u0301! ─── 🚀z${'y'.repeat(30)}`));
    expect(texts.map(({ x, width, text }) => [Number(x), Number(width), text])).toEqual([
      [0, 16.8, '日'],
      [16.8, 16.8, '本'],
      [33.6, 8.4, 'e\u0301'],
      [42, 8.4, '!'],
      [58.8, 25.2, '───'],
      [92.4, 16.8, '🚀'],
      [109.2, 58.8, 'zyyyyyy'],
    ]);
  });

  it('shows several screens one after the other, and the first where nothing moves', () => {
    const svg = draw('one', 'two', 'three');
    expect(svg).toContain('.f{visibility:hidden}#f0{visibility:visible}');
    expect(svg).toContain('.f{animation:f 9s step-end infinite}');
    expect(svg).toContain(
      '#f0{animation-delay:-9s}#f1{animation-delay:-6s}#f2{animation-delay:-3s}',
    );
    expect(draw('one')).not.toContain('animation');
  });

  it('is well-formed whatever the screen holds', () => {
    const units = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(fc.array(fc.oneof(units, fc.string({ unit: 'binary' }))), (parts) => {
        expect(xmlFault(draw(parts.join('\x1b[3')))).toBeNull();
      }),
      { numRuns: 100 },
    );
  });
});

describe('the colours of a terminal', () => {
  it('are the palette, the cube, the greys and direct ones', () => {
    expect(colourOf('')).toBeNull();
    expect(colourOf('31')).toBe('#ff7b72');
    expect(colourOf('101')).toBe('#ffa198');
    expect(colourOf('38;5;208')).toBe('#ff8700');
    expect(colourOf('38;5;21')).toBe('#0000ff');
    expect(colourOf('38;5;244')).toBe('#808080');
    expect(colourOf('38;5;999')).toBeNull();
    expect(colourOf('38;2;1;22;255')).toBe('#0116ff');
    expect(colourOf('38:2::1:22:255')).toBe('#0116ff');
  });
});

describe('a picture of the pages', () => {
  const files = ['docs/picture.svg', ...globSync('docs/pictures/*.svg', { cwd: root })];
  const pages = globSync(['README.md', 'docs/*.md'], { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );

  it.each(files)(
    '%s is well-formed, small, and on a page with words for who cannot see it',
    (path) => {
      const file = join(root, path);
      const svg = readFileSync(file, 'utf8');
      expect(xmlFault(svg)).toBeNull();
      // Neither a temporary folder of the script nor a preview that was not there yet.
      expect(svg).not.toMatch(/agtmux-picture-|Reading the screen/);
      expect(statSync(file).size).toBeLessThan(60_000);
      const link = path.replace('docs/', '').replaceAll('.', '\\.');
      const shown = new RegExp(`!\\[[^\\]]{20,}\\]\\((?:docs/)?${link}\\)`);
      expect(pages.some((page) => shown.test(page))).toBe(true);
    },
  );

  it('the README shows the live view', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('](docs/picture.svg)');
  });
});
