// Configuration files of a host, edited over its connection as at home: whole, only when they are
// still what was read, through links, with their mode.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { remoteEdits } from '../../src/daemon/hooks/remote-edits.ts';
import { hostOn } from './live-host.ts';
import { canHide, isMissing, isSshdMissing, type SshdOptions, TestSshd } from './sshd.ts';

const kinds: readonly (readonly [string, SshdOptions, boolean])[] = [
  ['the shell of this machine', {}, true],
  ['BusyBox', { isBusybox: true }, canHide && !isMissing('busybox')],
];

const ODD = '\ufeff{\r\n  "a": "é \\n %s \'$(x)` \u0001",\t// note\n}\n\n';

describe.skipIf(isSshdMissing)('files of a host', () => {
  for (const [kind, options, isPossible] of kinds) {
    it.skipIf(!isPossible)(`are edited with ${kind}`, async () => {
      await using sshd = await TestSshd.start(options);
      await using host = await hostOn(sshd);
      const files = remoteEdits(host);
      const folder = join(sshd.home, "it's é", 'deep');
      await files.makeFolder(folder, 0o755);
      const path = join(folder, 'settings.json');
      expect(await files.facts(path)).toBeNull();
      expect(await files.read(path)).toBeNull();
      expect(await files.realPath(path)).toBe(path);

      expect(await files.writeAtomically(path, { text: ODD, mode: 0o640, expected: null })).toBe(
        true,
      );
      expect(readFileSync(path, 'utf8')).toBe(ODD);
      expect(await files.read(path)).toBe(ODD);
      expect(await files.facts(path)).toEqual({ kind: 'file', mode: 0o640 });
      expect(await files.facts(folder)).toMatchObject({ kind: 'folder' });

      const link = join(sshd.home, 'link.json');
      symlinkSync(path, link);
      chmodSync(path, 0o604);
      expect(await files.realPath(link)).toBe(path);
      const other = { text: 'other\n', mode: 0o600, expected: ODD };
      expect(await files.writeAtomically(link, other)).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe('other\n');
      expect(statSync(path).mode & 0o777).toBe(0o604);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);

      expect(await files.writeAtomically(path, other)).toBe(false);
      expect(await files.writeAtomically(path, { ...other, expected: null })).toBe(false);
      expect(await files.remove(path, ODD)).toBe(false);
      expect(readdirSync(folder)).toEqual(['settings.json']);
      expect(await files.list(folder)).toEqual(['settings.json']);
      expect(await files.remove(path, 'other\n')).toBe(true);
      expect(await files.list(folder)).toEqual([]);
      expect(await files.list(path)).toEqual([]);

      mkdirSync(path);
      await expect(files.read(path)).rejects.toThrow('not a plain file');
      const large = join(folder, 'large');
      writeFileSync(large, Buffer.alloc(300_000, 'x'));
      await expect(files.read(large)).rejects.toThrow('larger');
      const nowhere = { text: '', mode: 0o600, expected: null };
      await expect(files.writeAtomically(join(large, 'x'), nowhere)).rejects.toThrow('written');
    });
  }
});
