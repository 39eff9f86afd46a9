// The web service over TLS: its files, a change of them while it runs, and peers that do not speak
// it. The certificates are of this test alone.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { TlsFiles } from '../../src/servers/web/gate/tls-files.ts';
import { WebServer } from '../../src/servers/web/web-server.ts';
import { Inside, makeFolder } from '../api/fixture.ts';
import { eventually } from '../live/tmux-server.ts';
import { connectRaw, TOKEN } from './web-lab.ts';

const given = (name: string): string => join(root, 'tests/web/certificates', name);

function files(which: string): { readonly certFile: string; readonly keyFile: string } {
  const folder = makeFolder();
  const pair = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  change(pair, which);
  return pair;
}

function change({ certFile, keyFile }: ReturnType<typeof files>, which: string): void {
  copyFileSync(given(`${which}-cert.pem`), certFile);
  copyFileSync(given(`${which}-key.pem`), keyFile);
}

async function serve(pair: ReturnType<typeof files>) {
  const inside = new Inside();
  const log: string[] = [];
  const server = new WebServer({
    host: inside.host,
    bind: { host: '127.0.0.1', port: 0 },
    ...{ allowedOrigins: [], workDir: '', debugServeDir: null, access: 'open' },
    sessions: { pair: () => null, end: () => {} },
    tls: new TlsFiles({ ...pair, log: (line) => log.push(line), lookMs: 20 }),
    onDebugLine: () => {},
    requestMs: 300,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { inside, log, url: await server.listen() };
}

/** Connects; whose certificate it was shown. */
async function nameAt(url: string, onText?: (text: string) => void): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { port } = new URL(url);
  const socket: TLSSocket = connect(
    { host: '127.0.0.1', port: Number(port), rejectUnauthorized: false },
    () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      if (onText) socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      else socket.destroy();
    },
  );
  socket.on('error', reject).on('data', (bytes: Buffer) => {
    onText?.(bytes.toString('latin1'));
    socket.destroy();
  });
  return promise;
}

it('speaks TLS with the certificate of its files', async () => {
  const { url, inside } = await serve(files('first'));
  expect(url).toMatch(/^https:/);
  let reply = '';
  const name = await nameAt(url, (text) => {
    reply += text;
  });
  expect(name).toBe('first.agtmux.test');
  await eventually(() => reply.includes('200 OK'), 'it answers');
  expect(inside.defects).toEqual([]);
});

it('a renewed certificate is used without a restart, and a broken one is not', async () => {
  const pair = files('first');
  const { url, log } = await serve(pair);
  change(pair, 'second');
  await eventually(async () => (await nameAt(url)) === 'second.agtmux.test', 'the new one');
  writeFileSync(pair.certFile, 'nothing');
  await eventually(() => log.some((line) => line.includes('is not used')), 'it is said');
  expect(await nameAt(url)).toBe('second.agtmux.test');
});

it('who speaks no TLS, or stops in the middle of its handshake, is hung up on', async () => {
  const { url, inside } = await serve(files('first'));
  for (const text of ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', '', '\u0016\u0003\u0001']) {
    const socket = connectRaw(url);
    let isClosed = false;
    socket
      .on('error', () => {})
      .on('close', () => {
        isClosed = true;
      });
    socket.resume().write(text, 'latin1');
    await eventually(() => isClosed, `hung up on after ${JSON.stringify(text)}`);
  }
  expect(await nameAt(url)).toBe('first.agtmux.test');
  expect(inside.defects).toEqual([]);
});

it('a certificate without its key, or with that of another one, is refused', async () => {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const [cert, key] = [given('first-cert.pem'), given('second-key.pem')];
  for (const input of [
    { tls_cert: cert },
    { tls_cert: cert, tls_key: key },
    { tls_cert: cert, tls_key: '/none/there.pem' },
  ]) {
    const opened = client.call('open_web', { port: 0, auth_token: TOKEN, ...input });
    await expect(opened).rejects.toMatchObject({ code: 'E_INPUT_INVALID' });
  }
});
