// When the machines of the fleet booted, kept in a file: a start time is part of a runtime's
// identity and is counted from the boot, which a host tells a second earlier or later each time its
// clock was set. The first value that was told for a boot counts.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BootPins } from './remote-processes.ts';

/** Hosts times the boots that may still matter; the oldest go first. */
const PINS_MAX = 256;

/** Reads the pins of a file, which need not be there, and writes it with each new one. */
export function bootPinsIn(file: string): BootPins {
  const pins = new Map(read(file));
  return {
    get: (bootId) => pins.get(bootId),
    set(bootId, bootedAtMs) {
      pins.set(bootId, bootedAtMs);
      const [oldest] = pins.keys();
      if (pins.size > PINS_MAX && oldest !== undefined) pins.delete(oldest);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, `${JSON.stringify([...pins])}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function read(file: string): readonly (readonly [string, number])[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(value) ? value.filter(isPin) : [];
  } catch {
    // There is none yet, or it is damaged: the boots are pinned anew.
    return [];
  }
}

function isPin(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isFinite(value[1]);
}
