// The files of the HUD: the pictures that a pane follows, one after the other in one file, and
// whether a person has switched the HUD on or off.

import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Begun anew from there on; tail notices that it has become shorter. */
const FILE_BYTES_MAX = 262_144;
const MODE = 0o600;

export class HudFile implements Disposable {
  readonly path: string;
  /** Of no other daemon and no other server; nothing in it means anything to tmux. */
  readonly name: string;
  #bytes = FILE_BYTES_MAX;
  #last = '';

  constructor(folder: string, socketPath: string) {
    const place = createHash('sha256').update(`${folder}\n${socketPath}`).digest('hex');
    this.name = `hud-${place.slice(0, 24)}.frames`;
    this.path = join(folder, this.name);
  }

  /** Adds a picture, unless it is the last one again. Throws what the disk throws. */
  paint(frame: string): void {
    if (frame === this.#last) return;
    this.#last = '';
    const bytes = Buffer.byteLength(frame);
    if (this.#bytes + bytes > FILE_BYTES_MAX) {
      writeFileSync(this.path, frame, { mode: MODE });
      this.#bytes = bytes;
    } else {
      appendFileSync(this.path, frame);
      this.#bytes += bytes;
    }
    this.#last = frame;
  }

  /** Empty, for a new pane, which reads it from its begin. Throws what the disk throws. */
  restart(): void {
    writeFileSync(this.path, '', { mode: MODE });
    this.#bytes = 0;
    this.#last = '';
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { force: true });
  }
}

/** What a person has chosen by command; null where the configuration decides. */
export class HudSwitch {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'hud.json');
  }

  read(): boolean | null {
    try {
      const { on } = JSON.parse(readFileSync(this.#path, 'utf8')) as { on?: unknown };
      return typeof on === 'boolean' ? on : null;
    } catch {
      return null;
    }
  }

  write(on: boolean): void {
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify({ on }), { mode: MODE });
    renameSync(draft, this.#path);
  }
}
