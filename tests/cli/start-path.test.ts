// What a start of the command line loads is its start time: what `list` and `tmux-status` need, and
// nothing of the daemon, the schemas or the other commands. Also the page made of the table.

import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { renderCli } from '../../scripts/cli-docs.ts';
import { root } from '../../scripts/script-entry.ts';

async function bundle() {
  const { metafile } = await build({
    entryPoints: ['src/cli/main.ts'],
    absWorkingDir: root,
    outdir: 'dist',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    // The daemon is behind an import() whatever it holds.
    external: ['*/daemon/main.ts'],
    logLevel: 'silent',
  });
  return metafile.outputs;
}

type Outputs = Awaited<ReturnType<typeof bundle>>;

/** Every file of the bundle that loads before a command runs. */
function loadedFirst(outputs: Outputs): readonly Outputs[string][] {
  const entry = Object.keys(outputs).find((path) => path.endsWith('main.js')) ?? '';
  const seen = new Set<string>();
  const visit = (path: string): void => {
    const output = outputs[path];
    if (output === undefined || seen.has(path)) return;
    seen.add(path);
    for (const each of output.imports) if (each.kind === 'import-statement') visit(each.path);
  };
  visit(entry);
  return [...seen].flatMap((path) => outputs[path] ?? []);
}

describe('a start of the command line', () => {
  it('loads few files, little code, nothing that starts processes or checks schemas', async () => {
    const first = loadedFirst(await bundle());
    const inputs = first.flatMap((output) => Object.keys(output.inputs));
    const builtins = first.flatMap(({ imports }) =>
      imports
        .filter(({ external, kind }) => external && kind === 'import-statement')
        .map(({ path }) => path),
    );
    expect(inputs).toContain('src/cli/commands/list.ts');
    expect(
      inputs.filter((path) => /node_modules|schema|daemon\/|explain|watch/.test(path)),
    ).toEqual([]);
    const allowed = ['node:fs', 'node:net', 'node:os', 'node:path', 'node:url'];
    expect(builtins.filter((path) => !allowed.includes(path))).toEqual([]);
    // Each file costs about a millisecond, and so do 20 kB of code.
    expect(first.length).toBeLessThanOrEqual(5);
    expect(first.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(80_000);
  });
});

describe('the page of the command line', () => {
  it('has a section for every command, with its options', () => {
    const page = renderCli();
    expect(page).toContain('## agtmux list panes\n');
    expect(page).toContain('## agtmux alerts\n');
    expect(page).toContain('## agtmux alerts ack\n');
    expect(page).toContain('`--sort attention\\|age\\|target\\|state`');
    expect(page).toContain('| `agtmux list-panes` | agtmux list panes |');
    expect(page).not.toMatch(/^## agtmux list$/m);
  });
});
