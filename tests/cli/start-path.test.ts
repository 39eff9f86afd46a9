// What a command line loads is its start time. `agtmux list panes` loads the start and its own
// command file: nothing of the daemon, the schemas or the other commands. Also what the daemon
// loads, and the reference page.

import { describe, expect, it } from 'vitest';
import { bundleAlone } from '../../scripts/build.ts';
import { renderCli } from '../../scripts/cli-docs.ts';

/** 20 kB of code take about a millisecond to load; each command adds a row to the table in them. */
const LIST_PANES_BYTES_MAX = 75_000;

async function bundleOf(source: string) {
  const { metafile, lazyImports } = await bundleAlone(source, { write: false });
  const outputs = Object.values(metafile.outputs);
  return {
    lazyImports,
    files: outputs.flatMap(({ inputs }) => Object.keys(inputs)),
    modules: outputs
      .flatMap(({ imports }) => imports)
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => path),
    bytes: outputs.reduce((sum, { bytes }) => sum + bytes, 0),
    fileCount: outputs.length,
  };
}

describe('agtmux list panes', async () => {
  const start = await bundleOf('src/cli/main.ts');
  const command = await bundleOf('src/cli/commands/panes/list.ts');
  const both = [start, command];

  it('loads two files: the start of the command line, and its own command', () => {
    expect(both.map(({ fileCount }) => fileCount)).toEqual([1, 1]);
    expect(start.files.filter((path) => path.startsWith('src/cli/commands/'))).toEqual([]);
    expect(start.lazyImports).toContain('src/cli/commands/panes/list.ts');
    expect(command.files.filter((path) => path.startsWith('src/cli/commands/')).sort()).toEqual([
      'src/cli/commands/panes/list.ts',
      'src/cli/commands/panes/unwatched-server.ts',
    ]);
  });

  it('loads no package, no schema, nothing of the daemon and nothing that starts processes', () => {
    const heavy = /node_modules|src\/(?:schema|daemon|core|agents|tui)\//;
    expect(both.flatMap(({ files }) => files).filter((path) => heavy.test(path))).toEqual([]);
    const allowed = ['node:fs', 'node:net', 'node:os', 'node:path', 'node:url'];
    const modules = both.flatMap((each) => each.modules);
    expect(modules.filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('loads little code', () => {
    expect(start.bytes + command.bytes).toBeLessThan(LIST_PANES_BYTES_MAX);
  });
});

describe('the daemon', () => {
  it('loads neither HTTP nor TLS at its start: they take some MB and 30 ms', async () => {
    const { modules } = await bundleOf('src/daemon/main.ts');
    expect(modules).toContain('node:net');
    const heavy = /^node:(?:https?|http2|tls|inspector)$/;
    expect(modules.filter((path) => heavy.test(path))).toEqual([]);
  });
});

describe('the reference page of the command line', () => {
  it('has a section for every command, with its options and examples', async () => {
    const page = await renderCli();
    expect(page).toContain('## agtmux list panes\n');
    expect(page).toContain('## agtmux alerts\n');
    expect(page).toContain('## agtmux alerts ack\n');
    expect(page).toContain('`--sort attention\\|age\\|target\\|state`');
    expect(page).toContain('| `agtmux list-panes` | agtmux list panes |');
    expect(page).toContain('    agtmux list --needs-action\n');
    expect(page).not.toMatch(/^## agtmux list$/m);
  });
});
