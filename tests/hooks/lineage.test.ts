// Who ran the emitter, as it tells itself, under each shell that must run it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { senderPids } from '../../src/agents/signals/lineage.ts';
import { EmitterLab, emitter, shells } from '../emitter/emitter-run.ts';

const words = ['--source', 'gemini-hooks', '--agent', 'gemini', '--event', 'AfterTool'];

describe.each(shells)('the emitter under %s', (...shell) => {
  it('finds the process that ran it as a hook', () => {
    using lab = new EmitterLab();
    lab.run({ shell, args: words });
    const [event] = lab.events();
    expect(senderPids(event?.env?.['AGTMUX_LINEAGE'])?.[0]).toBe(process.pid);
  });

  it('takes the word of Claude for which process it is', () => {
    using lab = new EmitterLab();
    const args = ['--source', 'claude-hooks', '--agent', 'claude', '--event', 'Stop'];
    lab.run({ shell, args, env: { CLAUDE_PID: String(process.ppid) } });
    lab.run({ shell, args, env: { CLAUDE_PID: '$(id)' } });
    const [plain, odd] = lab.events().map(({ env }) => senderPids(env?.['AGTMUX_LINEAGE']));
    expect(plain?.[0]).toBe(process.ppid);
    expect(odd?.[0]).toBe(process.pid);
  });
});

describe('the emitter', () => {
  it('finds that process above a shell, and not above another program', () => {
    using lab = new EmitterLab();
    const program = join(lab.folder, 'tool.sh');
    writeFileSync(program, `"${emitter}" ${words.join(' ')}; :\n`);
    const line = `sh '${program}'; perl -e 'system("sh", "-c", "sh ${program}; :")'; :`;
    lab.run({ shell: ['/bin/sh', '-c', line] });
    const [near, far] = lab.events().map(({ env }) => senderPids(env?.['AGTMUX_LINEAGE']));
    expect(near).toContain(process.pid);
    expect(far).not.toContain(process.pid);
  });
});
