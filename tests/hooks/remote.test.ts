// Hooks on another machine, by the daemon that watches it: installed there, read from there, and
// taken away again.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Fleet } from '../daemon-live/fleet.ts';
import { isSshdMissing } from '../ssh/sshd.ts';

const TEST_MS = 180_000;
const settings = '{\r\n\t// mine: "ä" \'x\' $HOME `id`\r\n\t"model": "m"\r\n}';

describe.skipIf(isSshdMissing)('hooks on another machine', () => {
  test(
    'are installed, deliver events, and are removed without a trace',
    async () => {
      await using fleet = await Fleet.start({ vm1: {} });
      const { home } = fleet.host('vm1').sshd;
      const folder = join(home, '.claude');
      mkdirSync(folder);
      mkdirSync(join(home, 'dotfiles'));
      writeFileSync(join(home, 'dotfiles', 'c.json'), settings, { mode: 0o640 });
      symlinkSync('../dotfiles/c.json', join(folder, 'settings.json'));

      const installed = await fleet.live.cli('hooks', 'install', '--target', 'vm1', '--json');
      expect(installed).toMatchObject({ code: 0, err: '' });
      const { agents, emitter } = JSON.parse(installed.out);
      expect(agents).toMatchObject([{ agent: 'claude', state: 'installed' }]);
      expect(emitter.path.startsWith(home)).toBe(true);

      const payload = join(home, 'payload');
      const event = { hook_event_name: 'UserPromptSubmit', prompt: 'x', session_id: 's' };
      writeFileSync(payload, JSON.stringify(event));
      const words = '--source claude-hooks --agent claude';
      const run = `HOME='${home}' CLAUDE_PID=$$ '${emitter.path}' ${words} <'${payload}'`;
      fleet.agent('vm1').type(`run ${run}`);
      const row = await fleet.until('vm1', 'running');
      expect(row.evidence.source).toBe('claude-hooks');

      const removed = await fleet.live.cli('hooks', 'uninstall', 'claude', '--target', 'vm1');
      expect(removed).toMatchObject({ code: 0, err: '' });
      expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe(settings);
      expect(existsSync(join(fleet.live.env['HOME'] ?? '', '.claude'))).toBe(false);

      const nobody = await fleet.live.cli('hooks', 'status', '--target', 'nobody');
      expect(nobody).toMatchObject({ code: 66, err: expect.stringContaining('nobody') });
    },
    TEST_MS,
  );
});
