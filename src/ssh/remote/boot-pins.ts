// When the machines of the fleet booted, kept in one file: a start time is part of a runtime's
// identity and is counted from the boot, which a host reports a second earlier or later each time
// its clock is set. The first value reported for a boot counts.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BootPins } from './remote-processes.ts';

/** The boots of one machine that may still matter; the oldest go first. */
const PINS_MAX = 8;
const MACHINES_MAX = 256;

export interface FleetBoots {
  /** The pins of one machine. They are shared by all callers. */
  of(machine: string): BootPins;
}

/** Reads the pins of a file, which need not be there, and writes it with each new one. */
export function fleetBootsIn(file: string): FleetBoots {
  const machines = new Map<string, Map<string, number>>();
  const put = (machine: string, name: string, timeMs: number): void => {
    const pins = machines.get(machine) ?? new Map<string, number>();
    // The machine that was pinned last is forgotten last.
    machines.delete(machine);
    machines.set(machine, pins.set(name, timeMs));
    trim(pins, PINS_MAX);
    trim(machines, MACHINES_MAX);
  };
  for (const [machine, name, timeMs] of read(file)) put(machine, name, timeMs);
  return {
    of: (machine) => ({
      get: (name) => machines.get(machine)?.get(name),
      set(name, timeMs) {
        put(machine, name, timeMs);
        const pins = [...machines].flatMap(([each, own]) => [...own].map((pin) => [each, ...pin]));
        write(file, `${JSON.stringify(pins)}\n`);
      },
    }),
  };
}

function trim(map: Map<string, unknown>, sizeMax: number): void {
  const [oldest] = map.keys();
  if (map.size > sizeMax && oldest !== undefined) map.delete(oldest);
}

function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // The disk is full, perhaps. They are known as long as we live, and written with the next one.
  }
}

type Pin = readonly [machine: string, name: string, timeMs: number];

function read(file: string): readonly Pin[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(value) ? value.filter(isPin) : [];
  } catch {
    // There is none yet, or it is damaged: the boots are pinned again.
    return [];
  }
}

function isPin(value: unknown): value is Pin {
  if (!Array.isArray(value)) return false;
  const [machine, name, timeMs] = value;
  return typeof machine === 'string' && typeof name === 'string' && Number.isFinite(timeMs);
}
