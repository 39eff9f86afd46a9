// The published declarations of `agtmux/client` stand alone and agree with the client itself.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderClientTypes, renderWebClientTypes } from '../../scripts/client-types.ts';
import { root } from '../../scripts/script-entry.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-types-'));
  writeFileSync(join(folder, 'client.d.ts'), renderClientTypes());
  writeFileSync(join(folder, 'web-client.d.ts'), renderWebClientTypes());
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function compile(text: string): string {
  writeFileSync(join(folder, 'use.ts'), text);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext'];
  const lib = ['--lib', 'es2024,esnext.disposable', '--types', ''];
  const args = [tsc, ...flags, ...lib, '--pretty', 'false', 'use.ts'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
}

describe('the declarations of agtmux/client', () => {
  it('compile without any package, for a program that lists and subscribes', () => {
    const text = `
      import { connectDaemon, DaemonError } from './client.js';
      export async function use(): Promise<string> {
        const client = await connectDaemon({ socketPath: '/s' });
        const { panes } = await client.call('list_panes', { state: 'running' });
        for await (const message of client.subscribe({}, { resume: true })) {
          if (message.type === 'state_changed') return message.data.panes[0]?.state ?? '';
        }
        return panes.map((pane) => pane.identity?.session_name ?? pane.ref).join();
      }
      export const isDown = (error: unknown): boolean =>
        error instanceof DaemonError && error.code === 'E_DAEMON_DOWN';
    `;
    expect(compile(text)).toBe('');
  });

  it('refuse an operation, a filter and a state that there is not', () => {
    const text = `
      import { connectDaemon } from './client.js';
      export async function use(): Promise<void> {
        const client = await connectDaemon({ socketPath: '/s' });
        await client.call('no_such', {});
        await client.call('list_panes', { colour: 'red' });
        await client.call('list_panes', { state: 'sleeping' });
      }
    `;
    const lines = compile(text)
      .split('\n')
      .filter((line) => line.includes('error TS'));
    expect(lines.map((line) => /use\.ts\((\d+)/.exec(line)?.[1])).toEqual(['5', '6', '7']);
  });
});

describe('the declarations of agtmux/web-client', () => {
  it('compile without any package and without a browser, for a program that watches', () => {
    const text = `
      import { connectWeb } from './web-client.js';
      export async function use(): Promise<number> {
        const client = await connectWeb({ url: 'http://127.0.0.1:8080', token: 't' });
        let count = 0;
        const watched = client.watch('watch_output', {
          input: () => ({ runtime_id: 'r' }),
          onMessage: (message) => {
            if (message.type === 'output_bytes') count += message.data.bytes.length;
          },
        });
        for await (const { type, data } of client.subscribe()) {
          if (type === 'snapshot') return data.panes.length + count;
        }
        watched[Symbol.dispose]();
        return count;
      }
    `;
    expect(compile(text)).toBe('');
  });
});
