// The proof of a caller by a file that it holds open: this very process is the caller.

import { closeSync, existsSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyWorld } from '../../src/core/world.ts';
import { CallerProof } from '../../src/daemon/messaging/identity/caller-proof.ts';
import { makeFolder } from './program.ts';

function open(folder: string): CallerProof {
  const proof = new CallerProof({
    folder,
    world: () => emptyWorld,
    processes: { read: () => null },
    memberOfPane: () => null,
    isOfLostBundle: () => false,
    nowMs: () => 1_000,
    hasProc: existsSync('/proc/self/fdinfo'),
  });
  onTestFinished(() => proof[Symbol.dispose]());
  return proof;
}

describe.skipIf(!existsSync('/proc/self/fdinfo'))('the proof of a caller', () => {
  it('holds where the way to its file leads over a link', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const proof = open(join(folder, 'link', 'proofs'));
    const begun = proof.begin(null);
    const file = openSync(begun?.path ?? '', 'r+');
    onTestFinished(() => closeSync(file));
    expect(proof.prove(begun?.challenge ?? '', process.pid)).toEqual({
      ok: true,
      value: { kind: 'person' },
    });
  });

  it('fails for a file that is open for reading alone, or by nobody', () => {
    const proof = open(join(makeFolder(), 'proofs'));
    const begun = proof.begin(null);
    const file = openSync(begun?.path ?? '', 'r');
    onTestFinished(() => closeSync(file));
    const unproven = { ok: false, refusal: { code: 'E_IDENTITY_UNPROVEN' } };
    expect(proof.prove(begun?.challenge ?? '', process.pid)).toMatchObject(unproven);
    const again = proof.begin(null);
    expect(proof.prove(again?.challenge ?? '', process.pid)).toMatchObject(unproven);
  });

  it('is one at a time for a connection, so that none pushes out those of others', () => {
    const proof = open(join(makeFolder(), 'proofs'));
    const other = proof.begin(null);
    let own = proof.begin(null);
    const first = own;
    for (let each = 0; each < 1_000; each += 1) own = proof.begin(own?.challenge ?? null);
    expect(existsSync(first?.path ?? '')).toBe(false);
    const file = openSync(other?.path ?? '', 'r+');
    onTestFinished(() => closeSync(file));
    expect(proof.prove(other?.challenge ?? '', process.pid).ok).toBe(true);
  });
});
