// An ACP agent built with the SDK. What it does in a turn is what the prompt says; how it starts is
// what its arguments say. Sessions are kept as files in the folder ACP_SESSIONS.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const flags = new Set(process.argv.slice(2));
/** `--plays=WORD`: what it does in every turn, whatever the prompt says. */
const [ownWord] = [...flags].flatMap((flag) => flag.match(/^--plays=(.*)$/)?.[1] ?? []);
const folder = process.env.ACP_SESSIONS ?? '';
const cancelled = new Map();
/** The MCP server that came with each session. */
const servers = new Map();
const fileOf = (sessionId) => join(folder, `${sessionId}.jsonl`);
const write = (text) => process.stdout.write(text);
const frame = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

if (flags.has('--banner'))
  write('Welcome to the fake agent!\n{not json}\n[1,2]\n"text"\n{"a":1}\n');
if (flags.has('--silent')) {
  process.stdin.resume();
  await sleep(600_000);
}
if (flags.has('--dies')) {
  process.stderr.write('cannot read its configuration\n');
  process.exit(3);
}
if (flags.has('--ignores-signals'))
  for (const each of ['SIGTERM', 'SIGINT']) process.on(each, () => {});

const update = (client, sessionId, change) => {
  appendFileSync(fileOf(sessionId), `${JSON.stringify(change)}\n`);
  return client.notify(methods.client.session.update, { sessionId, update: change });
};
const say = (client, sessionId, text, messageId) =>
  update(client, sessionId, {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
    ...(messageId ? { messageId } : {}),
  });

async function askPermission(client, sessionId, name) {
  const toolCall = {
    toolCallId: `call-${name}`,
    title: `run ${name}`,
    kind: 'execute',
    status: 'pending',
    rawInput: { command: name },
  };
  await update(client, sessionId, { sessionUpdate: 'tool_call', ...toolCall });
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall,
    options: [
      { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'ever', name: 'Always allow', kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  });
  const picked = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
  const isAllowed = picked === 'yes' || picked === 'ever';
  await update(client, sessionId, {
    sessionUpdate: 'tool_call_update',
    toolCallId: toolCall.toolCallId,
    status: isAllowed ? 'completed' : 'failed',
    content: [{ type: 'content', content: { type: 'text', text: `it was ${picked}` } }],
  });
  return picked;
}

/** Resolves to a stop reason. */
async function play(word, client, sessionId) {
  if (word.startsWith('run ')) {
    spawnSync('sh', ['-c', word.slice('run '.length)]);
    return 'end_turn';
  }
  switch (word) {
    case 'approve':
      await say(client, sessionId, await askPermission(client, sessionId, 'ls'));
      return 'end_turn';
    case 'twice':
      await Promise.all([
        askPermission(client, sessionId, 'one'),
        askPermission(client, sessionId, 'two'),
      ]);
      return 'end_turn';
    case 'wait': {
      await say(client, sessionId, 'waiting');
      const { promise, resolve } = Promise.withResolvers();
      cancelled.set(sessionId, resolve);
      await promise;
      return 'cancelled';
    }
    case 'quiet': {
      const { promise, resolve } = Promise.withResolvers();
      cancelled.set(sessionId, resolve);
      await promise;
      return 'end_turn';
    }
    case 'endless':
      for (;;) {
        await say(client, sessionId, 'more and more of it ');
        await sleep(1);
      }
    case 'deaf':
      await say(client, sessionId, 'I do not listen');
      return sleep(600_000);
    case 'die':
      await say(client, sessionId, 'half of an ans');
      process.exit(7);
      break;
    case 'error':
      throw new RequestError(-32603, 'the model said 429 Too Many Requests', { httpStatus: 429 });
    case 'login':
      throw RequestError.authRequired();
    case 'copilot-error':
      await say(client, sessionId, 'Error: 400 the model is not there');
      return 'end_turn';
    case 'refuse':
      return 'refusal';
    case 'odd':
      return 'something_new';
    case 'unknown':
      frame({
        method: 'session/update',
        params: { sessionId, update: { sessionUpdate: 'hologram', depth: 3, inside: { a: [1] } } },
      });
      frame({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 7 } } });
      frame({ method: 'session/update', params: 'nothing' });
      frame({ method: 'agent/new_idea', params: {} });
      frame({ id: 900, method: 'agent/new_question', params: {} });
      frame({ id: 'nobody-asked', result: {} });
      frame({
        id: 901,
        method: 'session/request_permission',
        params: {
          sessionId,
          toolCall: { toolCallId: 'odd' },
          options: [{ optionId: 'x', kind: 'new_kind', name: 'Maybe' }],
        },
      });
      await sleep(50);
      return 'end_turn';
    case 'flood':
      for (let each = 0; each < 100; each += 1) {
        frame({
          id: 1_000 + each,
          method: 'session/request_permission',
          params: { sessionId, toolCall: { toolCallId: `f${each}` }, options: [] },
        });
      }
      return 'end_turn';
    case 'huge':
      write('x'.repeat(20 * 1024 * 1024));
      return sleep(600_000);
    case 'write': {
      const { command, args } = servers.get(sessionId);
      const words = [args[0], 'msg', 'send', 'acp:one', '-m', 'from a colleague', ...args.slice(2)];
      const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
      await say(client, sessionId, `${status} ${stdout}${stderr}`);
      return 'end_turn';
    }
    case 'whoami': {
      const { command, args } = servers.get(sessionId);
      const host = new Client({ name: 'fake', version: '1.0.0' });
      // As some agents start their servers: with next to nothing of the environment.
      await host.connect(new StdioClientTransport({ command, args, env: {} }));
      const { content } = await host.callTool({ name: 'whoami', arguments: {} });
      await host.close();
      await say(client, sessionId, content[0].text);
      return 'end_turn';
    }
    default:
      await update(client, sessionId, {
        sessionUpdate: 'agent_thought_chunk',
        content: { type: 'text', text: 'hm' },
      });
      await say(client, sessionId, 'you said ', 'm1');
      await say(client, sessionId, word, 'm1');
      return 'end_turn';
  }
}

const userChunk = (text) => ({
  sessionUpdate: 'user_message_chunk',
  content: { type: 'text', text },
});
const noteParams = (method, params) =>
  appendFileSync(join(folder, 'params.jsonl'), `${JSON.stringify({ method, params })}\n`);
let nextSession = 1;
const app = agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    noteParams('initialize', params);
    return {
      protocolVersion: flags.has('--new-protocol') ? 9 : 1,
      agentCapabilities: { loadSession: !flags.has('--no-load') },
      authMethods: [{ id: 'key', name: 'a key' }],
      agentInfo: { name: 'fake', version: '1.0.0' },
    };
  })
  .onRequest(methods.agent.authenticate, () => {
    flags.delete('--auth');
    return {};
  })
  .onRequest(methods.agent.session.new, async ({ params }) => {
    if (flags.has('--auth')) throw RequestError.authRequired();
    const sessionId = `s${process.pid}-${nextSession}`;
    nextSession += 1;
    appendFileSync(fileOf(sessionId), '');
    servers.set(sessionId, params.mcpServers[0]);
    noteParams('new', params);
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const { sessionId } = params;
    noteParams('load', params);
    if (sessionId === 'unreadable') throw RequestError.internalError({ details: 'no chat in it' });
    if (!existsSync(fileOf(sessionId))) throw RequestError.resourceNotFound(sessionId);
    for (const line of readFileSync(fileOf(sessionId), 'utf8').split('\n').filter(Boolean)) {
      await client.notify(methods.client.session.update, { sessionId, update: JSON.parse(line) });
    }
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const text = prompt.map((each) => each.text ?? '').join('');
    appendFileSync(join(folder, 'prompts.jsonl'), `${JSON.stringify({ sessionId, text })}\n`);
    appendFileSync(fileOf(sessionId), `${JSON.stringify(userChunk(text))}\n`);
    return { stopReason: await play(ownWord ?? text, client, sessionId) };
  })
  .onNotification(methods.agent.session.cancel, async ({ params }) => {
    if (flags.has('--late')) await sleep(300);
    cancelled.get(params.sessionId)?.();
  });

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
if (!flags.has('--ignores-signals')) process.stdin.on('end', () => process.exit(0));
