// A desktop that shows notifications, in small: a private session bus (the real dbus-daemon) and,
// on it, a service that owns org.freedesktop.Notifications and writes down what it is sent. It
// speaks the wire protocol of D-Bus itself, as far as notify-send needs it.

import { type ChildProcess, spawn } from 'node:child_process';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../live/tmux-server.ts';
import { DbusReader, DbusWriter } from './dbus-values.ts';

export interface ShownNotification {
  readonly id: number;
  readonly app: string;
  readonly summary: string;
  readonly body: string;
  readonly actions: readonly string[];
}

const CALL = 1;
const REPLY = 2;
const SIGNAL = 4;
const PATH = '/org/freedesktop/Notifications';
const NAME = 'org.freedesktop.Notifications';
const BUS = 'org.freedesktop.DBus';

interface Message {
  readonly type: number;
  readonly serial: number;
  readonly fields: ReadonlyMap<number, string | number>;
  readonly body: Buffer;
}

export class DbusDesktop implements Disposable {
  readonly address: string;
  readonly shown: ShownNotification[] = [];
  readonly #daemon: ChildProcess;
  readonly #capabilities: readonly string[];
  #socket: Socket | null = null;
  #kept: Buffer = Buffer.alloc(0);
  #isAuthenticated = false;
  #serial = 0;
  #owner: boolean | null = null;

  constructor(
    folder: string,
    capabilities: readonly string[] = ['body', 'body-markup', 'actions'],
  ) {
    const path = join(folder, 'bus');
    this.address = `unix:path=${path}`;
    this.#capabilities = capabilities;
    const args = ['--session', '--nofork', '--nopidfile', `--address=${this.address}`];
    this.#daemon = spawn('dbus-daemon', args, { stdio: 'ignore' });
  }

  /** Resolves when it can be notified. */
  async open(): Promise<this> {
    const path = this.address.replace('unix:path=', '');
    this.#socket = await eventually(() => connected(path), 'the bus listens');
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    this.#socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
    await eventually(() => this.#owner, 'the bus gives the name away');
    return this;
  }

  /** Presses a button of a notification, as a person would. */
  press(id: number, action: string): void {
    this.#signal('ActionInvoked', 'us', new DbusWriter().uint32(id).string(action));
    this.#signal('NotificationClosed', 'uu', new DbusWriter().uint32(id).uint32(2));
  }

  #take(bytes: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, bytes]);
    if (!this.#isAuthenticated) {
      const end = this.#kept.indexOf('\r\n');
      if (end < 0) return;
      if (!this.#kept.toString('latin1', 0, end).startsWith('OK ')) throw new Error('not let in');
      this.#kept = this.#kept.subarray(end + 2);
      this.#isAuthenticated = true;
      this.#socket?.write('BEGIN\r\n');
      this.#call('Hello', '', new DbusWriter());
      this.#call('RequestName', 'su', new DbusWriter().string(NAME).uint32(0));
    }
    for (let next = this.#next(); next !== null; next = this.#next()) this.#answer(next);
  }

  #next(): Message | null {
    if (this.#kept.length < 16) return null;
    const bodyLength = this.#kept.readUInt32LE(4);
    const headLength = Math.ceil((16 + this.#kept.readUInt32LE(12)) / 8) * 8;
    if (this.#kept.length < headLength + bodyLength) return null;
    const head = this.#kept.subarray(0, headLength);
    const body = this.#kept.subarray(headLength, headLength + bodyLength);
    this.#kept = this.#kept.subarray(headLength + bodyLength);
    const fields = new DbusReader(head, 12).headerFields();
    return { type: head[1] ?? 0, serial: head.readUInt32LE(8), fields, body };
  }

  #answer(message: Message): void {
    const member = message.fields.get(3);
    // The reply to RequestName is the second one.
    if (message.type === REPLY && message.fields.get(5) === 2) this.#owner = true;
    if (message.type !== CALL) return;
    if (member === 'GetCapabilities') {
      this.#reply(message, 'as', new DbusWriter().strings(this.#capabilities));
    } else if (member === 'GetServerInformation') {
      const names = ['small', 'test', '1', '1.2'];
      const writer = new DbusWriter();
      for (const name of names) writer.string(name);
      this.#reply(message, 'ssss', writer);
    } else if (member === 'Notify') this.#notify(message);
    else this.#reply(message, '', new DbusWriter());
  }

  #notify(message: Message): void {
    const reader = new DbusReader(message.body);
    const app = reader.string();
    reader.uint32();
    reader.string();
    const id = this.shown.length + 1;
    const [summary, body] = [reader.string(), reader.string()];
    this.#reply(message, 'u', new DbusWriter().uint32(id));
    this.shown.push({ id, app, summary, body, actions: reader.strings() });
  }

  #call(member: string, signature: string, body: DbusWriter): void {
    this.#send(
      CALL,
      { path: '/org/freedesktop/DBus', face: BUS, member, to: BUS },
      signature,
      body,
    );
  }

  #reply({ serial, fields }: Message, signature: string, body: DbusWriter): void {
    this.#send(REPLY, { serial, to: String(fields.get(7)) }, signature, body);
  }

  #signal(member: string, signature: string, body: DbusWriter): void {
    this.#send(SIGNAL, { path: PATH, face: NAME, member }, signature, body);
  }

  #send(
    type: number,
    {
      path,
      face,
      member,
      to,
      serial,
    }: Partial<Record<'path' | 'face' | 'member' | 'to', string>> & {
      readonly serial?: number;
    },
    signature: string,
    body: DbusWriter,
  ): void {
    this.#serial += 1;
    const bytes = body.bytes;
    const head = new DbusWriter().byte('l'.charCodeAt(0)).byte(type).byte(0).byte(1);
    head.uint32(bytes.length).uint32(this.#serial);
    head.headerFields([
      [1, 'o', path],
      [2, 's', face],
      [3, 's', member],
      [5, 'u', serial],
      [6, 's', to],
      [8, 'g', signature || undefined],
    ]);
    this.#socket?.write(Buffer.concat([head.align(8).bytes, bytes]));
  }

  [Symbol.dispose](): void {
    this.#socket?.destroy();
    this.#daemon.kill('SIGKILL');
  }
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });
}
