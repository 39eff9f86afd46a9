// What a start of the command line loads is its start time: what `list` and `tmux-status` need, and
// nothing of the daemon, the schemas or the other commands. Also the page made of the table.

import { describe, expect, it } from 'vitest';
import { bundleQuickStart } from '../../scripts/build.ts';
import { renderCli } from '../../scripts/cli-docs.ts';

describe('a start of the command line', () => {
  it('loads one file, little code, nothing that starts processes or checks schemas', async () => {
    const { metafile, later } = await bundleQuickStart({ write: false });
    const files = Object.values(metafile.outputs);
    expect(files).toHaveLength(1);
    const inputs = files.flatMap((output) => Object.keys(output.inputs));
    const imports = files.flatMap((output) => output.imports);
    const builtins = imports.filter(({ kind }) => kind === 'import-statement');
    expect(later).toContain('src/cli/more-commands.ts');
    expect(inputs).toContain('src/cli/commands/list.ts');
    expect(
      inputs.filter((path) => /node_modules|schema|daemon\/|explain|watch/.test(path)),
    ).toEqual([]);
    const allowed = ['node:fs', 'node:net', 'node:os', 'node:path', 'node:url'];
    expect(builtins.map(({ path }) => path).filter((path) => !allowed.includes(path))).toEqual([]);
    // 20 kB of code cost about a millisecond.
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(90_000);
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
