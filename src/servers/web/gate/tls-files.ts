// A certificate and its key in files. Both are read anew when one of them changes, as programs that
// renew certificates expect; a pair that does not fit leaves the old one in use.

import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { createSecureContext } from 'node:tls';

const LOOK_MS = 30_000;

interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface TlsFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** What came of a change. */
  readonly log: (message: string) => void;
  readonly lookMs?: number;
}

export class TlsFiles implements Disposable {
  readonly #options: TlsFilesOptions;
  #current: CertificatePair;
  #stamp: string;
  #timer: NodeJS.Timeout | null = null;

  /** Throws where the files cannot be read or do not fit each other. */
  constructor(options: TlsFilesOptions) {
    this.#options = options;
    this.#stamp = this.#stampNow();
    this.#current = this.#read();
  }

  /** A server that speaks TLS with what the files hold, also later. */
  createServer(options: ServerOptions): Server {
    const server = createServer({ ...options, ...this.#current, minVersion: 'TLSv1.2' });
    const { lookMs = LOOK_MS } = this.#options;
    this.#timer = setInterval(() => this.#look(server), lookMs).unref();
    return server;
  }

  #look(server: Server): void {
    try {
      const stamp = this.#stampNow();
      if (stamp === this.#stamp) return;
      this.#stamp = stamp;
      this.#current = this.#read();
      server.setSecureContext(this.#current);
      this.#options.log('the new certificate is in use');
    } catch (error) {
      this.#options.log(`the changed certificate is not used: ${(error as Error).message}`);
    }
  }

  #stampNow(): string {
    const { certFile, keyFile } = this.#options;
    return [certFile, keyFile]
      .map((file) => statSync(file))
      .map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`)
      .join('; ');
  }

  #read(): CertificatePair {
    const { certFile, keyFile } = this.#options;
    const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    createSecureContext(pair);
    return pair;
  }

  [Symbol.dispose](): void {
    if (this.#timer) clearInterval(this.#timer);
  }
}
