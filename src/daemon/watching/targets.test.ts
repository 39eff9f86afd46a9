// The table of watched machines, with watches that a test makes.

import { expect, onTestFinished, test, vi } from 'vitest';
import { emptyWorld, type World } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import { id, type TargetId } from '../../schema/ids.ts';
import type { Target } from '../../schema/target.ts';
import { Targets, type TargetsOptions, type TargetWatch } from './targets.ts';

const vm1: Target = {
  targetId: id<TargetId>('vm1'),
  name: 'vm1',
  kind: 'ssh',
  connectionRef: 'vm1',
  health: 'ok',
};
const vm2: Target = { ...vm1, targetId: id<TargetId>('vm2'), name: 'vm2' };

/** Its health is set by the test, and it shows whether it was closed. */
class HandDriven implements TargetWatch {
  health: Target['health'] = 'degraded';
  isClosed = false;
  readonly onHealth: () => void;

  constructor(onHealth: () => void) {
    this.onHealth = onHealth;
  }

  get status() {
    return { health: this.health, detail: null, lastSeenAtMs: 5 };
  }

  async connect(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}

/** Machines of which vm1 cannot be watched at all, and a store that may be full. */
function withStored(...stored: readonly Target[]) {
  const targets = new Map(stored.map((each) => [each.targetId, each]));
  const world: World = { ...emptyWorld, targets };
  const store = { isFull: false };
  const watches: HandDriven[] = [];
  const loop: TargetsOptions['loop'] = {
    world,
    submit: (observations) => {
      if (store.isFull) throw new Fault('store_full', { about: 'the store' });
      for (const each of observations) {
        if (each.kind !== 'fact') continue;
        const { fact } = each;
        if (fact.type === 'target.changed') targets.set(fact.target.targetId, fact.target);
        if (fact.type === 'target.removed') targets.delete(fact.targetId);
      }
      return { lastSeq: 0, events: [], changes: [] };
    },
  };
  const open = ({ name }: Target, onHealth: () => void): TargetWatch => {
    if (name === 'vm1') throw new Fault('E_FOLDER_UNSAFE', { about: 'the folder' });
    const watch = new HandDriven(onHealth);
    watches.push(watch);
    return watch;
  };
  const table = new Targets({ loop, nowMs: () => 9, open });
  onTestFinished(() => table[Symbol.asyncDispose]());
  return { targets, table, store, watches };
}

test('a target that cannot be watched is down with the reason, and the others are watched', () => {
  const { targets, table, watches } = withStored(vm1, vm2);
  table.start();
  expect(targets.get(vm1.targetId)?.health).toBe('down');
  expect(table.statusOf(vm1.targetId)).toMatchObject({
    health: 'down',
    detail: expect.stringContaining('the folder'),
  });
  expect(targets.get(vm2.targetId)?.health).toBe('degraded');
  expect(table.statusOf(vm2.targetId)).toEqual(watches[0]?.status);
});

test('a new target that cannot be watched is not added', () => {
  const { targets, table } = withStored();
  expect(() => table.add(vm1)).toThrow(Fault);
  expect(targets.size).toBe(0);
  table.add(vm2);
  expect([...targets.keys()]).toEqual([vm2.targetId]);
});

test('a health that cannot be stored is stored when it can be', async () => {
  const { targets, table, store, watches } = withStored(vm2);
  store.isFull = true;
  table.start();
  expect(targets.get(vm2.targetId)?.health).toBe('ok');
  const [watch] = watches as [HandDriven];
  watch.health = 'down';
  expect(() => watch.onHealth()).not.toThrow();
  expect(targets.get(vm2.targetId)?.health).toBe('ok');
  store.isFull = false;
  // It does not change again: nobody calls for it.
  await vi.waitFor(() => expect(targets.get(vm2.targetId)?.health).toBe('down'), 5_000);
});

test('a target that cannot be stored is neither added nor removed, and not watched twice', () => {
  const { targets, table, store, watches } = withStored();
  store.isFull = true;
  expect(() => table.add(vm2)).toThrow(Fault);
  expect(watches.map(({ isClosed }) => isClosed)).toEqual([true]);
  store.isFull = false;
  table.add(vm2);
  store.isFull = true;
  expect(() => table.remove(vm2.targetId)).toThrow(Fault);
  expect(table.statusOf(vm2.targetId).health).toBe('degraded');
  expect(watches.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  store.isFull = false;
  table.remove(vm2.targetId);
  expect(watches.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  expect(targets.size).toBe(0);
});
