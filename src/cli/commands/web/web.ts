// `agtmux web`: has the daemon open the web service until Ctrl-C, and cares for its tokens. The
// daemon closes it by itself when this process is gone.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DaemonClient } from '../../../client/client.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { NewWebToken } from '../../../schema/web/open-web.ts';
import { type ArgumentSpec, type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { openDaemon, withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_NO_INPUT, EXIT_UNAVAILABLE, EXIT_USAGE } from '../../exit-codes.ts';
import { choice, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { onSignals } from '../../signals.ts';

/** How soon the end of the daemon is noticed. */
const LOOK_MS = 250;

const tokenArgument: ArgumentSpec = {
  value: text('ID'),
  summary: 'the id of a token, as agtmux web token list prints it',
};

export const webCommand: CommandSpec = {
  name: 'web',
  summary: 'the web service: agents and their terminals over WebSocket',
  defaultCommand: 'serve',
  commands: [
    {
      name: 'serve',
      summary: 'open the web service until Ctrl-C; agtmux web alone does the same',
      notes: [
        'A token is needed even on this machine. Without --auth-token one is made and printed.',
        'To keep the service open, set enabled = true in the [web] section of config.toml.',
        'Exit codes: 130 after Ctrl-C, 69 when the daemon has ended, 75 when the port is taken.',
      ],
      examples: [
        'agtmux web',
        'agtmux web --port 9000 --work-dir ~/code',
        "agtmux web --allowed-origins 'localhost:*,*.example.com'",
      ],
      options: [
        { name: 'port', value: { kind: 'count', label: 'PORT' }, summary: 'the port (8080)' },
        { name: 'host', value: text('ADDRESS'), summary: 'the address (127.0.0.1)' },
        {
          name: 'work-dir',
          value: text('PATH'),
          summary: 'show only agents in this folder or below it',
        },
        { name: 'auth-token', value: text('TOKEN'), summary: 'the token that clients must name' },
        {
          name: 'allowed-origins',
          value: text('PATTERNS'),
          summary: 'the pages that may connect, separated by commas (localhost:*)',
        },
        {
          name: 'debug-serve-dir',
          value: text('PATH'),
          summary: 'serve the files of this folder at /, for development',
        },
        {
          name: 'no-auth',
          summary: 'let everybody in who reaches the port; only on this machine',
        },
      ],
      run: runServe,
    },
    {
      name: 'token',
      summary: 'the tokens that let clients in',
      defaultCommand: 'list',
      commands: [
        {
          name: 'list',
          summary: 'list the tokens, without their secrets',
          examples: ['agtmux web token list'],
          run: listTokens,
        },
        {
          name: 'create',
          summary: 'make a token and print its secret, this once',
          examples: ['agtmux web token create phone', 'agtmux web token create wall --scope read'],
          args: [{ value: text('NAME'), summary: 'what it is for' }],
          options: [
            {
              name: 'scope',
              value: choice('SCOPE', ['read', 'control']),
              summary: 'read: see only; control: type as well (control)',
            },
          ],
          run: createToken,
        },
        {
          name: 'rotate',
          summary: 'give a token a new secret; clients with the old one are closed',
          examples: ['agtmux web token rotate 1a2b3c4d'],
          args: [tokenArgument],
          run: rotateToken,
        },
        {
          name: 'revoke',
          summary: 'remove a token; its clients are closed',
          examples: ['agtmux web token revoke 1a2b3c4d'],
          args: [tokenArgument],
          run: revokeToken,
        },
      ],
    },
  ],
};

async function runServe(call: Call): Promise<number> {
  const input = inputOf(call);
  const client = await openDaemon(call);
  try {
    const { url, token } = await client.call('open_web', input);
    if (isSet(call.flags, 'json')) printJson(call, { url, token });
    else call.io.writeOut(introduction(url, token, isSet(call.flags, 'no-auth')));
    return await untilEnd(call, client);
  } finally {
    client.close();
  }
}

function inputOf({ flags }: Call) {
  const port = flags['port'];
  const given = {
    host: textOf(flags, 'host'),
    port: typeof port === 'number' ? port : undefined,
    work_dir: folderOf(textOf(flags, 'work-dir'), 'work-dir'),
    auth_token: textOf(flags, 'auth-token'),
    allowed_origins: patternsOf(textOf(flags, 'allowed-origins')),
    debug_serve_dir: folderOf(textOf(flags, 'debug-serve-dir'), 'debug-serve-dir'),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...set, no_auth: isSet(flags, 'no-auth') };
}

/** The daemon works in another folder. */
function folderOf(path: string | undefined, option: string): string | undefined {
  if (path === undefined || path === '') return undefined;
  const folder = resolve(path);
  if (existsSync(folder)) return folder;
  throw new CliProblem('E_INPUT_INVALID', `There is no folder ${folder} (--${option}).`, {
    exitCode: EXIT_NO_INPUT,
  });
}

function patternsOf(list: string | undefined): readonly string[] | undefined {
  const patterns = list
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (patterns?.length === 0) {
    throw new CliProblem('E_INPUT_INVALID', '--allowed-origins names no page.', {
      exitCode: EXIT_USAGE,
    });
  }
  return patterns;
}

function introduction(url: string, token: string | null, isOpen: boolean): string {
  const lines = [`The web service listens at ${url} until Ctrl-C.`];
  if (token !== null) {
    lines.push(`Token: ${token}`, `WebSocket: ${url.replace(/^http/, 'ws')}/ws?token=${token}`);
  }
  if (isOpen) {
    lines.push('Warning: every program of this machine may read your agents and type to them.');
  }
  return `${lines.map((line) => safeText(line)).join('\n')}\n`;
}

/** Runs until a signal comes or the daemon is gone. */
async function untilEnd(call: Call, client: DaemonClient): Promise<number> {
  const { promise, resolve: end } = Promise.withResolvers<number>();
  using _signals = onSignals(end);
  const timer = setInterval(() => {
    if (client.isClosed) end(EXIT_UNAVAILABLE);
  }, LOOK_MS);
  const exitCode = await promise;
  clearInterval(timer);
  if (exitCode === EXIT_UNAVAILABLE) {
    call.io.writeErr('The daemon has ended, and with it the web service.\n');
  }
  return exitCode;
}

async function listTokens(call: Call): Promise<number> {
  const { tokens } = await withDaemon(call, (client) => client.call('list_web_tokens', {}));
  if (isSet(call.flags, 'json')) {
    printJson(call, { tokens });
    return 0;
  }
  const lines = tokens.map(
    ({ id, scope, created_at: at, name }) => `${id}  ${scope.padEnd(7)}  ${at}  ${name}`,
  );
  const none = 'There is no token. agtmux web token create NAME makes one.';
  call.io.writeOut(lines.length === 0 ? `${none}\n` : shownLines(lines));
  return 0;
}

async function createToken(call: Call): Promise<number> {
  const scope = textOf(call.flags, 'scope') === 'read' ? 'read' : 'control';
  const input = { name: call.args[0] ?? '', scope } as const;
  return printSecret(
    call,
    await withDaemon(call, (client) => client.call('create_web_token', input)),
  );
}

async function rotateToken(call: Call): Promise<number> {
  const input = { id: call.args[0] ?? '' };
  return printSecret(
    call,
    await withDaemon(call, (client) => client.call('rotate_web_token', input)),
  );
}

async function revokeToken(call: Call): Promise<number> {
  const input = { id: call.args[0] ?? '' };
  const token = await withDaemon(call, (client) => client.call('revoke_web_token', input));
  if (isSet(call.flags, 'json')) printJson(call, token);
  else call.io.writeOut(shownLines([`${token.id} (${token.name}) is refused from now on`]));
  return 0;
}

function printSecret(call: Call, token: NewWebToken): number {
  if (isSet(call.flags, 'json')) printJson(call, token);
  else {
    const kept = 'It is not shown again: agtmux keeps only its hash.';
    call.io.writeOut(shownLines([`${token.id} (${token.scope}): ${token.token}`, kept]));
  }
  return 0;
}

const shownLines = (lines: readonly string[]): string =>
  lines.map((line) => `${safeText(line)}\n`).join('');
