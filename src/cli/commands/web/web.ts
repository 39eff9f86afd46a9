// `agtmux web`: has the daemon open the web service until Ctrl-C, and cares for its tokens. The
// daemon closes it by itself when this process is gone.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DaemonClient } from '../../../client/client.ts';
import { momentText } from '../../../render/pane-notes.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { NewWebToken, OpenedWeb } from '../../../schema/web/open-web.ts';
import {
  type ArgumentSpec,
  type Call,
  type CommandSpec,
  isSet,
  type OptionSpec,
  textOf,
} from '../../command.ts';
import { openDaemon, withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_NO_INPUT, EXIT_UNAVAILABLE, usageProblem } from '../../exit-codes.ts';
import { choice, text } from '../../options.ts';
import { printed, printJson } from '../../output/print.ts';
import { onSignals } from '../../signals.ts';
import { pairingText } from './pairing-text.ts';

/** How soon the end of the daemon is noticed. */
const LOOK_MS = 250;

const tokenArgument: ArgumentSpec = {
  value: text('ID'),
  summary: 'the id of a token, as agtmux web token list prints it',
};

const scopeOption: OptionSpec = {
  name: 'scope',
  value: choice('SCOPE', ['read', 'control']),
  summary: 'read: see only; control: type as well (control)',
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
        'Browsers are let in by the link, which works once; agtmux web pair makes another one.',
        'To keep the service open, set enabled = true in the [web] section of config.toml.',
        'Exit codes: 130 after Ctrl-C, 69 when the daemon has ended, 75 when the port is taken.',
      ],
      examples: [
        'agtmux web',
        'agtmux web --port 9000 --work-dir ~/code',
        'agtmux web --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
        'agtmux web --public-url https://agents.example.com',
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
          name: 'public-url',
          value: text('URL'),
          summary: 'where people reach it, for links, if not where it listens',
        },
        { name: 'tls-cert', value: text('PATH'), summary: 'the certificate: speak TLS' },
        { name: 'tls-key', value: text('PATH'), summary: 'the key of the certificate' },
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
      name: 'pair',
      summary: 'print a link, and a QR code, that lets one browser in',
      notes: [
        'The link works once, for 10 minutes, into the web service that was opened last.',
        'agtmux web token list shows the browsers too; agtmux web token revoke ends one.',
      ],
      examples: ['agtmux web pair', 'agtmux web pair --scope read --name wall'],
      options: [
        scopeOption,
        { name: 'name', value: text('NAME'), summary: 'what the browser is called in lists' },
      ],
      run: runPair,
    },
    {
      name: 'token',
      summary: 'the tokens that let programs and browsers in',
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
          options: [scopeOption],
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
    const opened = await client.call('open_web', input);
    if (isSet(call.flags, 'json')) printJson(call, opened);
    else call.io.writeOut(await introduction(call, opened));
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
    public_url: textOf(flags, 'public-url'),
    tls_cert: fileOf(textOf(flags, 'tls-cert'), 'tls-cert'),
    tls_key: fileOf(textOf(flags, 'tls-key'), 'tls-key'),
    debug_serve_dir: folderOf(textOf(flags, 'debug-serve-dir'), 'debug-serve-dir'),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...set, no_auth: isSet(flags, 'no-auth') };
}

/** The daemon works in another folder. */
function pathOf(path: string | undefined, option: string, kind: string): string | undefined {
  if (path === undefined || path === '') return undefined;
  const whole = resolve(path);
  if (existsSync(whole)) return whole;
  throw new CliProblem('E_INPUT_INVALID', `There is no ${kind} ${whole} (--${option}).`, {
    exitCode: EXIT_NO_INPUT,
  });
}

const folderOf = (path: string | undefined, option: string) => pathOf(path, option, 'folder');
const fileOf = (path: string | undefined, option: string) => pathOf(path, option, 'file');

function patternsOf(list: string | undefined): readonly string[] | undefined {
  const patterns = list
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (patterns?.length === 0) {
    throw usageProblem('--allowed-origins names no page.');
  }
  return patterns;
}

async function introduction(call: Call, { url, token, pairing }: OpenedWeb): Promise<string> {
  const socket = `${url.replace(/^http/, 'ws')}/ws`;
  const lines = [`The web service listens at ${url} until Ctrl-C; programs connect to ${socket}.`];
  if (token !== null) lines.push(`Token for programs: ${token}`);
  if (pairing !== null) return shownLines(lines) + rawLines(await pairingText(call, pairing));
  lines.push('Warning: every program of this machine may read your agents and type to them.');
  return shownLines(lines);
}

async function runPair(call: Call): Promise<number> {
  const name = textOf(call.flags, 'name');
  const scope = textOf(call.flags, 'scope') === 'read' ? 'read' : 'control';
  const input = { scope, ...(name === undefined ? {} : { name }) } as const;
  const pairing = await withDaemon(call, (client) => client.call('pair_web', input));
  if (isSet(call.flags, 'json')) printJson(call, pairing);
  else call.io.writeOut(rawLines(await pairingText(call, pairing)));
  return 0;
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
  const lines = tokens.map(({ id, scope, kind, used_at: usedAt, name }) => {
    const used = (usedAt === null ? 'never' : momentText(usedAt)).padEnd(19);
    return `${id}  ${scope.padEnd(7)}  ${kind}  used ${used}  ${name}`;
  });
  const none = 'There is no token. agtmux web token create NAME makes one.';
  return printed(call, { tokens }, lines.length === 0 ? `${none}\n` : shownLines(lines));
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
  return printed(call, token, shownLines([`${token.id} (${token.name}) is refused from now on`]));
}

function printSecret(call: Call, token: NewWebToken): number {
  const kept = 'It is not shown again: agtmux keeps only its hash.';
  return printed(call, token, shownLines([`${token.id} (${token.scope}): ${token.token}`, kept]));
}

const shownLines = (lines: readonly string[]): string =>
  lines.map((line) => `${safeText(line)}\n`).join('');

/** Lines that are safe already. */
const rawLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
