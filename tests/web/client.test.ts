// The client of the web service against the real service: calls, streams that go on after the
// connection was lost, bytes, and why it is not let in.

import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectWeb,
  DaemonError,
  type PushMessage,
  type TerminalMessage,
  type WebLinkState,
  type WebServiceClient,
} from '../../src/web-client/web-client.ts';
import { Inside } from '../api/fixture.ts';
import { until } from '../api/wait.ts';
import { eventually } from '../live/tmux-server.ts';
import { TOKEN, WebLab } from './web-lab.ts';

/** Stands between client and service, so that a connection can be cut and come back. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  isCut = false;

  constructor(port: number) {
    this.#server = createServer((socket) => {
      if (this.isCut) {
        socket.destroy();
        return;
      }
      const service = connectTcp(port, '127.0.0.1');
      for (const each of [socket, service]) {
        this.#sockets.add(each);
        each.on('error', () => each.destroy());
        each.on('close', () => this.cut(each === socket ? service : socket));
      }
      socket.pipe(service).pipe(socket);
    });
    onTestFinished(() => {
      this.cut();
      this.#server.close();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as { readonly port: number }).port}`;
  }

  cut(one?: Socket): void {
    for (const socket of one ? [one] : this.#sockets) {
      this.#sockets.delete(socket);
      socket.destroy();
    }
  }
}

async function open() {
  const inside = await new Inside().serve();
  const opener = await inside.connect();
  const { url } = await opener.call('open_web', { port: 0, auth_token: TOKEN });
  const wire = new Wire(Number(new URL(url).port));
  const states: WebLinkState[] = [];
  const client = await connectWeb({
    url: await wire.listen(),
    token: TOKEN,
    onState: (state) => states.push(state),
  });
  onTestFinished(() => client.close());
  return { inside, opener, url, wire, states, client };
}

/** Collects what a subscription sends. */
function follow(client: WebServiceClient): PushMessage[] {
  const messages: PushMessage[] = [];
  void (async () => {
    for await (const message of client.subscribe()) messages.push(message);
  })();
  return messages;
}

describe('the client of the web service', () => {
  it('calls operations, and rejects with the refusal of the daemon', async () => {
    const { client } = await open();
    expect((await client.call('list_panes', {})).panes).toHaveLength(2);
    const refused = await client.call('explain', { ref: '%99' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DaemonError);
    expect(refused).toMatchObject({ code: 'E_REF_NOT_FOUND' });
  });

  it('goes on at its cursor after the connection was lost, and says so', async () => {
    const { inside, client, wire, states } = await open();
    const messages = follow(client);
    await until('the snapshot', () => messages.length === 1);
    wire.isCut = true;
    wire.cut();
    await until('it is lost', () => client.state === 'lost');
    await expect(client.call('hello', {})).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
    inside.says(0, 'waiting_approval');
    wire.isCut = false;
    await until('it is back', () => client.state === 'open');
    await until('the change', () => messages.some(({ type }) => type === 'state_changed'));
    expect(messages.filter(({ type }) => type === 'snapshot')).toHaveLength(1);
    expect(states).toEqual(['open', 'lost', 'open']);
  });

  it('a call on its way when the connection ends is rejected, and not repeated', async () => {
    const { inside, client, wire } = await open();
    let count = 0;
    Object.assign(inside.ports.panes, {
      capture: () => {
        count += 1;
        return new Promise(() => {});
      },
    });
    const call = client.call('preview', { ref: '%0' });
    const rejected = expect(call).rejects.toMatchObject({ code: 'E_DAEMON_DOWN' });
    await until('it runs', () => count === 1);
    wire.cut();
    await rejected;
    await until('it is back', () => client.state === 'open');
    await client.call('hello', {});
    expect(count).toBe(1);
  });

  it('a wrong token is refused once, and a revoked one ends it', async () => {
    const { opener, url } = await open();
    const wrong = connectWeb({ url, token: 'not-the-token' });
    await expect(wrong).rejects.toMatchObject({ code: 'E_NOT_PERMITTED' });
    const made = await opener.call('create_web_token', { name: 'phone', scope: 'control' });
    const client = await connectWeb({ url, token: made.token });
    onTestFinished(() => client.close());
    const stream = client.subscribe();
    expect((await stream.next()).value?.type).toBe('snapshot');
    const next = stream.next();
    await Promise.all([
      expect(next).rejects.toMatchObject({ code: 'E_NOT_PERMITTED' }),
      opener.call('revoke_web_token', { id: made.id }),
    ]);
    expect(client.state).toBe('refused');
  });

  it('what goes over an open connection is a use of its token', async () => {
    const { inside, opener, url } = await open();
    const made = await opener.call('create_web_token', { name: 'phone', scope: 'control' });
    const usedAt = async (): Promise<string | null> =>
      (await opener.call('list_web_tokens', {})).tokens.find(({ id }) => id === made.id)?.used_at ??
      null;
    expect(await usedAt()).toBeNull();
    const client = await connectWeb({ url, token: made.token });
    onTestFinished(() => client.close());
    inside.nowMs += 60_000;
    await client.call('hello', {});
    expect(await usedAt()).toBe(new Date(inside.nowMs).toISOString());
  });

  it('leaving the loop ends the stream in the daemon', async () => {
    const { inside, client } = await open();
    const before = inside.publisher.subscriberCount;
    for await (const message of client.subscribe()) {
      expect(message.type).toBe('snapshot');
      expect(inside.publisher.subscriberCount).toBe(before + 1);
      break;
    }
    await until('it is ended', () => inside.publisher.subscriberCount === before);
  });
});

describe('with a real terminal', () => {
  it('bytes of a terminal come as they are, and a file goes as it is', async () => {
    await using web = await WebLab.open();
    const { file } = await web.reader('bytes');
    using client = await connectWeb({ url: web.url, token: TOKEN });
    const { panes } = await client.call('list_panes', { session: 'bytes' });
    const runtimeId = panes[0]?.runtime_id ?? '';
    const messages: TerminalMessage[] = [];
    using _watched = client.watch('watch_output', {
      input: () => ({ runtime_id: runtimeId }),
      onMessage: (message) => messages.push(message),
    });
    const decoder = new TextDecoder();
    const shown = (): string =>
      messages
        .flatMap(({ data }) => ('bytes' in data ? [decoder.decode(data.bytes)] : []))
        .join('');
    await eventually(() => shown().includes('ready'), 'the snapshot');
    expect(messages[0]?.type).toBe('output_snapshot');
    const data = new TextEncoder().encode('half a line, ü');
    const input = { runtime_id: runtimeId, name: 'note.txt', mime: 'text/plain', data: '' };
    expect(await client.call('upload_file', input, { data })).toMatchObject({ pasted: 'text' });
    const { readFileSync } = await import('node:fs');
    await eventually(() => readFileSync(file, 'utf8').includes('half a line, ü'), 'it arrived');
  });

  it('a pane without an agent is shown as it prints', async () => {
    await using web = await WebLab.open({ attach: 'always' });
    const paneId = web.lab.openShell('plain');
    using client = await connectWeb({ url: web.url, token: TOKEN });
    const [pane] = await eventually(async () => {
      const { panes } = await client.call('list_panes', { session: 'plain' });
      return panes.length === 1 ? panes : null;
    }, 'it is listed');
    const messages: TerminalMessage[] = [];
    using _watched = client.watch('watch_output', {
      input: () => ({ pane_key: pane?.pane_key ?? '' }),
      onMessage: (message) => messages.push(message),
    });
    const isLive = (message: TerminalMessage): boolean =>
      message.type === 'output_snapshot' && message.data.live;
    await eventually(() => messages.some(isLive), 'it is read as it prints');
    web.lab.typeLine(paneId, 'echo pl""ain');
    const decoder = new TextDecoder();
    const printed = (): string =>
      messages
        .flatMap(({ type, data }) =>
          type === 'output_bytes' && 'bytes' in data ? [decoder.decode(data.bytes)] : [],
        )
        .join('');
    await eventually(() => printed().includes('plain'), 'its output comes');
    const { text } = await client.call('read_output', { pane_key: pane?.pane_key ?? '' });
    expect(text).toContain('plain');
    for (const input of [{}, { runtime_id: 'r', pane_key: 'p' }]) {
      await expect(client.call('read_output', input)).rejects.toThrow('a runtime_id or a pane_key');
    }
    await expect(client.call('read_output', { pane_key: 'none' })).rejects.toThrow('not exist');
    web.lab.tmux.run('kill-session', '-t', '=plain');
    await eventually(() => messages.some(({ type }) => type === 'output_ended'), 'it ends');
  });
});
