import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetBootsIn } from './boot-pins.ts';

describe('boot times of ssh hosts', () => {
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agtmux-boots-'));
    file = join(folder, 'state', 'boots.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are kept over a restart, per machine', () => {
    const boots = fleetBootsIn(file);
    const [vm1, vm2] = [boots.of('vm1'), boots.of('vm2')];
    expect(vm1.get('a')).toBeUndefined();
    vm1.set('a', 1_000);
    vm2.set('b', 2_000);
    vm2.set('a', 3_000);
    const again = fleetBootsIn(file);
    expect(again.of('vm1').get('a')).toBe(1_000);
    expect(again.of('vm1').get('b')).toBeUndefined();
    expect(again.of('vm2').get('b')).toBe(2_000);
    expect(again.of('vm2').get('a')).toBe(3_000);
  });

  it('are bounded per machine, and the oldest are forgotten first', () => {
    const boots = fleetBootsIn(file);
    boots.of('quiet').set('only', 7);
    for (let count = 0; count < 300; count += 1) boots.of('busy').set(`boot-${count}`, count);
    const again = fleetBootsIn(file);
    expect(again.of('quiet').get('only')).toBe(7);
    expect(again.of('busy').get('boot-291')).toBeUndefined();
    expect(again.of('busy').get('boot-292')).toBe(292);
    for (let count = 0; count < 300; count += 1) boots.of(`vm${count}`).set('a', count);
    expect(fleetBootsIn(file).of('vm43').get('a')).toBeUndefined();
    expect(fleetBootsIn(file).of('vm44').get('a')).toBe(44);
  });

  it('are kept in memory when the file cannot be written', () => {
    const boots = fleetBootsIn('/dev/null/boots.json');
    boots.of('vm1').set('a', 1_000);
    expect(boots.of('vm1').get('a')).toBe(1_000);
  });

  it.each(['', '{', '{}', '[["a",1],[1,2,3],["vm1","b",3]]'])(
    'survive the damaged file %j',
    (text) => {
      const damaged = join(folder, 'boots.json');
      writeFileSync(damaged, text);
      expect(fleetBootsIn(damaged).of('vm1').get('a')).toBeUndefined();
      expect(fleetBootsIn(damaged).of('vm1').get('b')).toBe(text.includes('"b"') ? 3 : undefined);
    },
  );
});
