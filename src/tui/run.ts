// Runs the live view: messages in, frames out, effects performed. Connects model, terminal, daemon
// and signals; the pure files decide what to show and what to do.

import type { ReadStream, WriteStream } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { type DaemonClient, DaemonError } from '../client/client.ts';
import { isPassing } from '../client/daemon-error.ts';
import { ReconnectingClient } from '../client/reconnecting-client.ts';
import type { ChildExit } from '../platform/process/child.ts';
import { startInTerminal } from '../platform/process/terminal-child.ts';
import type { OperationMap, OperationName } from '../schema/api/operations.ts';
import type { CallDaemon } from './acting/request-action.ts';
import { requestMark } from './acting/request-mark.ts';
import { DaemonPing } from './daemon-ping.ts';
import type { ConfigFollower, TuiConfig } from './follow-config.ts';
import type { DaemonReply, Effect, Message, TeamEffect } from './message.ts';
import { initialModel, type Model, type OutputStyle, type ViewKind } from './model.ts';
import { renderScreen } from './pages/render-screen.ts';
import { loadPreferences, preferencesPath, savePreferences } from './preferences-file.ts';
import { problemNotice } from './steps.ts';
import type { TeamCalls } from './teams/team-calls.ts';
import { Terminal } from './terminal.ts';
import { tickMs, update } from './update.ts';
import { pictureOf } from './view/frame.ts';

const RETRY_MS = 500;
const RESUME_MS = 100;
/** From the first picture to the watch of config.toml. */
const WATCH_DELAY_MS = 1_000;
/** What an agent said and did last. */
const LOG_ENTRIES = 300;
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

export interface TuiOptions {
  /** Open; it is closed at the end. */
  readonly client: DaemonClient;
  /** Finds the daemon, or starts one. */
  readonly openDaemon: () => Promise<DaemonClient>;
  /** Brings back a daemon that died. */
  readonly revive: () => Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly look: OutputStyle;
  readonly kind: ViewKind;
  readonly home: string;
  /** The words that run agtmux again, for the same daemon. */
  readonly program: readonly string[];
  /** The folder where the preferences are remembered. */
  readonly stateDir: string;
  /** The config.toml whose [tui] section is followed. */
  readonly configFile: string;
  /** Null: as the configuration says. */
  readonly mouse: boolean | null;
  /** Shown first; null: nothing. */
  readonly notice: string | null;
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/**
 * The live view is open all day. By default V8 keeps 200 MB while 1,000 panes change all the time,
 * ten times what is in use. With these flags the heap stays near what is in use, for a little more
 * CPU time. V8 reads both at each collection, so they can be set at run time.
 */
const heapFlags = ['--heap-growing-percent=10', '--semi-space-growth-factor=1'] as const;

/** Shows the live view until the user quits. Resolves with the exit code; rejects on our bugs. */
export async function runTui(options: TuiOptions): Promise<number> {
  for (const flag of heapFlags) setFlagsFromString(flag);
  using run = new Run(options);
  return await run.finished;
}

class Run {
  readonly #options: TuiOptions;
  readonly #preferencesFile: string;
  readonly #terminal: Terminal;
  readonly #requests: ReconnectingClient;
  readonly #finished = Promise.withResolvers<number>();
  #ticker: NodeJS.Timeout | null = null;
  readonly #listeners: readonly (readonly [string, () => void])[];
  readonly #client: DaemonClient;
  readonly #ping: DaemonPing;
  #config: ConfigFollower | null = null;
  #teams: TeamCalls | null = null;
  #isConfigFollowed = false;
  #model: Model;
  #isStopped = false;
  /** A command has it: Ctrl-C is meant for that. */
  #isTerminalLent = false;
  readonly #caller: CallDaemon = (...words) => this.#call(...words);

  constructor(options: TuiOptions) {
    this.#options = options;
    this.#preferencesFile = preferencesPath(options.stateDir);
    this.#client = options.client;
    this.#requests = new ReconnectingClient(options.client.socketPath);
    this.#terminal = new Terminal({
      input: options.input,
      output: options.output,
      mouse: options.mouse ?? false,
      onKey: (key) => this.#dispatch({ type: 'key', key }),
      onResize: (size) => this.#dispatch({ type: 'resized', size }),
      onGone: () => this.#finished.resolve(signals.SIGHUP),
      picture: () => this.#picture(),
    });
    this.#model = initialModel({
      kind: options.kind,
      size: this.#terminal.size,
      look: options.look,
      home: options.home,
      preferences: loadPreferences(this.#preferencesFile),
      nowMs: Date.now(),
    });
    this.#listeners = this.#listen();
    this.#terminal.enter();
    this.#tick();
    if (options.notice !== null) this.#dispatch(problemNotice(options.notice));
    void this.#follow();
    this.#ping = new DaemonPing({
      ask: (timeoutMs) => this.#call('hello', { client: 'tui' }, timeoutMs),
      onLink: (link) => this.#onLink(link),
      onDefect: (error) => this.#finished.reject(error),
    });
  }

  get finished(): Promise<number> {
    return this.#finished.promise;
  }

  [Symbol.dispose](): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    if (this.#ticker) clearTimeout(this.#ticker);
    this.#ping[Symbol.dispose]();
    this.#terminal.leave();
    this.#config?.[Symbol.dispose]();
    for (const [name, listener] of this.#listeners) process.off(name, listener);
    this.#requests[Symbol.dispose]();
    this.#teams?.[Symbol.dispose]();
    this.#client.close();
  }

  #listen(): readonly (readonly [string, () => void])[] {
    const leave = (): void => this.#terminal.leave();
    const listeners: (readonly [string, () => void])[] = [
      ...Object.entries(signals).map(
        ([name, code]) => [name, () => this.#onSignal(name, code)] as const,
      ),
      // The terminal is restored before Node prints an uncaught error, and at every other exit.
      ['uncaughtExceptionMonitor', leave],
      ['exit', leave],
      [
        'SIGCONT',
        () => {
          // Another program may have changed the terminal meanwhile.
          this.#terminal.leave();
          this.#terminal.enter();
        },
      ],
    ];
    for (const [name, listener] of listeners) process.on(name, listener);
    return listeners;
  }

  #onSignal(name: string, code: number): void {
    const isOfKeys = name === 'SIGINT' || name === 'SIGQUIT';
    if (!this.#isTerminalLent || !isOfKeys) this.#finished.resolve(code);
  }

  #tick(): void {
    this.#dispatch({ type: 'tick', nowMs: Date.now() });
    if (!this.#isStopped) this.#ticker = setTimeout(() => this.#tick(), tickMs(this.#model));
  }

  /** After the first picture. Watching the file loads code that a start need not wait for. */
  async #followConfig(): Promise<void> {
    if (this.#isConfigFollowed) return;
    this.#isConfigFollowed = true;
    const first = await this.#readConfig();
    if (first !== null) this.#configure(first);
    await new Promise((resolve) => setTimeout(resolve, WATCH_DELAY_MS).unref());
    const { ConfigFollower } = await import('./follow-config.ts');
    if (this.#isStopped) return;
    this.#config = new ConfigFollower({
      file: this.#options.configFile,
      read: () => this.#readConfig(),
      onConfig: (config) => this.#configure(config),
    });
  }

  async #readConfig(): Promise<TuiConfig | null> {
    const answer = await this.#call('show_config', {});
    return answer.ok ? answer.value.in_force.tui : null;
  }

  #configure({ columns, workers, mouse, background }: TuiConfig): void {
    const { look, mouse: wanted } = this.#options;
    this.#terminal.useMouse(wanted ?? mouse);
    this.#dispatch({
      type: 'configured',
      settings: { columns, workers },
      isLight: background === 'auto' ? look.isLight : background === 'light',
    });
  }

  #picture(): readonly string[] {
    const { size, look } = this.#model;
    return pictureOf(renderScreen(this.#model), size.columns, look);
  }

  #dispatch(message: Message): void {
    if (this.#isStopped) return;
    try {
      // A key is judged by how long its question has been on the screen.
      const before = { ...this.#model, nowMs: Date.now() };
      const { model, effects } = update(before, message);
      this.#model = model;
      for (const effect of effects) this.#perform(effect);
      this.#terminal.draw();
    } catch (error) {
      this.#finished.reject(error);
    }
  }

  #onLink(link: 'lost' | 'silent' | 'back'): void {
    this.#dispatch({ type: 'link', link });
    if (link === 'back') void this.#config?.refresh();
  }

  /** Reads the snapshot and changes; reconnects when the daemon is gone. */
  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      const stream = this.#client.subscribe(
        {},
        {
          resume: true,
          onLink: (link) => this.#onLink(link),
          revive: this.#options.revive,
        },
      );
      try {
        for await (const push of stream) {
          this.#dispatch({ type: 'push', push });
          this.#followConfig().catch((error: unknown) => this.#finished.reject(error));
        }
      } catch (error) {
        if (!isPassing(error)) {
          this.#finished.reject(error);
          return;
        }
        this.#dispatch({ type: 'link', link: 'lost' });
      }
      if (!this.#isStopped) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'quit':
        this.#finished.resolve(0);
        break;
      case 'redraw':
        this.#terminal.redraw();
        break;
      case 'suspend':
        this.#suspend();
        break;
      case 'remember': {
        const problem = savePreferences(this.#preferencesFile, effect.change);
        if (problem !== null) this.#warn(`This cannot be remembered: ${problem}`);
        break;
      }
      default:
        this.#request(effect).then(
          (message) => this.#dispatch(message),
          (error: unknown) => this.#finished.reject(error),
        );
    }
  }

  /** After the message that is being dispatched. */
  #warn(text: string): void {
    queueMicrotask(() => this.#dispatch(problemNotice(text)));
  }

  async #request(
    effect: Exclude<Effect, { kind: 'quit' | 'redraw' | 'suspend' | 'remember' }>,
  ): Promise<Message> {
    switch (effect.kind) {
      case 'preview': {
        const { paneKey } = effect;
        const answer = await this.#call('preview', { ref: paneKey });
        return { type: 'previewed', paneKey, answer };
      }
      case 'explain': {
        const { paneKey } = effect;
        return {
          type: 'explained',
          paneKey,
          answer: await this.#call('explain', { ref: paneKey }),
        };
      }
      case 'read-log': {
        const { paneKey } = effect;
        const answer = await this.#call('read_conversation', { ref: paneKey, limit: LOG_ENTRIES });
        return { type: 'log-read', paneKey, answer };
      }
      case 'snooze':
      case 'unsnooze':
      case 'name':
        return requestMark(this.#caller, effect);
      case 'act': {
        const { requestAction } = await import('./acting/request-action.ts');
        return requestAction(this.#caller, effect.shown, effect.order);
      }
      case 'list-ended': {
        const answer = await this.#call('list_ended_agents', {});
        const agents = answer.ok ? { ...answer, value: answer.value.agents } : answer;
        return { type: 'ended', answer: agents };
      }
      case 'resume': {
        const { requestResume } = await import('./acting/request-resume.ts');
        const { env } = this.#options;
        return requestResume(this.#caller, effect.agent, env);
      }
      case 'start-daemon': {
        const { requestDaemon } = await import('./acting/request-daemon.ts');
        return requestDaemon(this.#options.openDaemon);
      }
      case 'jump':
        return this.#jump(effect);
      default:
        return this.#teamRequest(effect);
    }
  }

  /** The reply, or why there is none. Rejects only on our own bugs. */
  async #call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
    timeoutMs?: number,
  ): Promise<DaemonReply<OperationMap[Name]['output']>> {
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    try {
      const value = await this.#requests.ask((client) => client.call(name, input, options));
      return { ok: true, value };
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      const { message, code, hint } = error;
      return { ok: false, problem: message, code, hint };
    }
  }

  async #jump(effect: Extract<Effect, { kind: 'jump' }>): Promise<Message> {
    const { requestJump } = await import('./jump/request-jump.ts');
    const { env } = this.#options;
    const runInTerminal = (words: readonly string[]) => this.#runInTerminal(words);
    const { message, isShown } = await requestJump(
      { call: this.#caller, env, runInTerminal },
      effect,
    );
    // A popup has no pane, and would cover the pane that was jumped to.
    if (isShown && env['TMUX'] && !env['TMUX_PANE']) this.#finished.resolve(0);
    return message;
  }

  async #teamRequest(effect: TeamEffect): Promise<Message> {
    const { TeamCalls } = await import('./teams/team-calls.ts');
    const { client, program } = this.#options;
    this.#teams ??= new TeamCalls({
      ...{ socketPath: client.socketPath, program },
      call: this.#caller,
      runInTerminal: (words) => this.#runInTerminal(words),
    });
    if (this.#isStopped) this.#teams[Symbol.dispose]();
    return this.#teams.request(effect);
  }

  /** The command has the terminal until it ends; then the view is drawn again. */
  async #runInTerminal([command = '', ...args]: readonly string[]): Promise<ChildExit> {
    this.#terminal.leave();
    this.#isTerminalLent = true;
    try {
      return await startInTerminal({ command, args, env: { ...this.#options.env } }).exited;
    } finally {
      this.#isTerminalLent = false;
      if (!this.#isStopped) this.#terminal.enter();
    }
  }

  /** As Ctrl-Z in a shell; `fg` sends SIGCONT. */
  #suspend(): void {
    this.#terminal.leave();
    process.kill(process.pid, 'SIGTSTP');
    // Without a shell to return to (a popup) the kernel drops the signal, and the view continues.
    setTimeout(() => {
      if (!this.#isStopped) this.#terminal.enter();
    }, RESUME_MS);
  }
}
