// The sizes that viewers give to windows. A window belongs to the person at it: a size is set only
// while nobody is attached to a session that has it, and what was before is put back when the last
// viewer leaves, when a person attaches, and at the start of a daemon that was killed meanwhile.

import type { PaneRecord } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { PaneKey } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { ServerAddress } from '../../sources/known-pane.ts';
import {
  readSizeCommands,
  readSizedWindow,
  readSizeSet,
  restoreSizeCommands,
  type ServerLife,
  setSizeCommands,
  type WindowSize,
} from '../../tmux/views/window-size.ts';
import type { Watchers } from '../watching/watchers.ts';
import { keyOfWindow, type SizeNote, type SizeNotes } from './size-notes.ts';

/** How soon a window is tried again whose server did not answer. */
const RETRY_MS = 1_000;
/** The time that windows have at the end of the daemon; its notes put back the others. */
const END_MS = 2_000;

export interface WindowSizesParts {
  readonly notes: SizeNotes;
  readonly nowMs: () => number;
  readonly watchers: Pick<Watchers, 'linkAt' | 'isAttached' | 'onAttached'>;
  readonly commandTimeoutMs: () => number;
  /** Null when the pane is gone. */
  readonly factsOf: (paneKey: PaneKey) => PaneFacts | null;
  /** Whether anybody views the pane, with a size or without. */
  readonly isViewed: (paneKey: PaneKey) => boolean;
  readonly onDefect: (error: unknown) => void;
}

/** What one connection has sized. It ends with the connection. */
interface Sizer extends AsyncDisposable {
  /** By runtime. */
  readonly windows: Map<string, SizedWindow>;
}

interface SizedWindow {
  readonly address: ServerAddress;
  readonly windowId: string;
  /** Those whose agents it was sized for. */
  readonly paneKeys: Set<PaneKey>;
  readonly sizers: Set<Sizer>;
  /** How it was; null while it is as it was. */
  note: SizeNote | null;
  /** What this life of the daemon has set. */
  set: WindowSize | null;
  /** One change after the other. */
  tail: Promise<void>;
  changeCount: number;
}

const attachedRefusal = refuse(
  'E_PRECONDITION_FAILED',
  'a person is attached to its session, whose size it has',
);
const unwritten = refuse(
  'E_PRECONDITION_FAILED',
  'the size that it has cannot be written down to be put back: the disk is full, perhaps',
);
const gone = refuse('E_REF_NOT_FOUND', 'the pane is not watched any more');

export class WindowSizes implements AsyncDisposable {
  readonly #parts: WindowSizesParts;
  readonly #windows = new Map<string, SizedWindow>();
  /** By connection. */
  readonly #sizers = new Map<object, Sizer>();
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: WindowSizesParts) {
    this.#parts = parts;
    for (const note of parts.notes.all) {
      const window = this.#windowAt(note, note.windowId);
      window.note = note;
    }
    if (this.#windows.size > 0) this.#retrySoon();
    parts.watchers.onAttached((address) => this.#attached(address));
  }

  /** Windows that have a size of a viewer, or soon do. */
  get count(): number {
    return this.#windows.size;
  }

  /** Sets the size of the window with the pane, for as long as the connection keeps the result. */
  async resize(
    pane: PaneRecord,
    size: WindowSize,
    connection: object,
  ): Promise<Outcome<AsyncDisposable>> {
    const { facts, paneKey } = pane;
    const [location] = facts?.locations ?? [];
    const runtimeId = pane.row.runtimeId ?? '';
    if (facts === null || !location || this.#isClosed) return gone;
    const key = keyOfWindow({ ...facts, windowId: location.windowId });
    if (!this.#windows.has(key) && this.#parts.notes.isFull) {
      return refuse('E_ACTIONS_BUSY', 'too many windows have a size of a viewer');
    }
    const window = this.#windowAt(facts, location.windowId);
    const sizer = this.#sizers.get(connection) ?? this.#newSizer(connection);
    window.paneKeys.add(paneKey);
    window.sizers.add(sizer);
    const before = sizer.windows.get(runtimeId);
    sizer.windows.set(runtimeId, window);
    if (before && before !== window) this.#leave(sizer, before);
    let isSet = before === window;
    try {
      const outcome = await this.#change(window, () => this.#set(window, facts, size));
      isSet ||= outcome.ok;
      return outcome.ok ? ok(sizer) : outcome;
    } finally {
      if (!isSet) this.release(runtimeId, connection);
    }
  }

  /** The connection no longer needs its size. */
  release(runtimeId: string, connection: object): void {
    const sizer = this.#sizers.get(connection);
    const window = sizer?.windows.get(runtimeId);
    if (!sizer || !window) return;
    sizer.windows.delete(runtimeId);
    this.#leave(sizer, window);
  }

  /** Somebody views a pane no longer. */
  viewerLeft(): void {
    for (const window of this.#windows.values()) this.#settle(window);
  }

  /** Puts back what can be put back in a moment. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    if (this.#retry) clearTimeout(this.#retry);
    this.#retry = null;
    this.#sizers.clear();
    const all = [...this.#windows.values()].map((window) => {
      window.sizers.clear();
      return this.#change(window, () => this.#restore(window, END_MS));
    });
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, END_MS);
    await Promise.race([Promise.all(all), late]);
    clearTimeout(timer);
  }

  #windowAt({ targetId, server }: ServerAddress, windowId: string): SizedWindow {
    const key = keyOfWindow({ targetId, server, windowId });
    const known = this.#windows.get(key);
    if (known) return known;
    const window: SizedWindow = {
      ...{ address: { targetId, server }, windowId, paneKeys: new Set(), sizers: new Set() },
      ...{ note: null, set: null, tail: Promise.resolve(), changeCount: 0 },
    };
    this.#windows.set(key, window);
    return window;
  }

  #newSizer(connection: object): Sizer {
    const sizer: Sizer = {
      windows: new Map(),
      [Symbol.asyncDispose]: async () => {
        if (this.#sizers.get(connection) === sizer) this.#sizers.delete(connection);
        const windows = [...sizer.windows.values()];
        sizer.windows.clear();
        for (const window of windows) this.#leave(sizer, window);
      },
    };
    this.#sizers.set(connection, sizer);
    return sizer;
  }

  #leave(sizer: Sizer, window: SizedWindow): void {
    // It may have sized the window for another agent in it.
    if (![...sizer.windows.values()].includes(window)) window.sizers.delete(sizer);
    this.#settle(window);
  }

  #isWanted({ sizers, paneKeys }: SizedWindow): boolean {
    return sizers.size > 0 || [...paneKeys].some(this.#parts.isViewed);
  }

  /** Puts it back where nobody needs the size. */
  #settle(window: SizedWindow): void {
    if (this.#isWanted(window)) return;
    void this.#change(window, async () => {
      if (!this.#isWanted(window)) await this.#restore(window);
    });
  }

  /** People have come or gone: a window with one of them is theirs. */
  #attached({ targetId, server }: ServerAddress): void {
    for (const window of this.#windows.values()) {
      const { address } = window;
      if (address.targetId !== targetId || address.server !== server) continue;
      if (![...window.paneKeys].some((paneKey) => this.#hasPerson(paneKey))) continue;
      void this.#change(window, () => this.#giveBack(window));
    }
  }

  #hasPerson(paneKey: PaneKey): boolean {
    const facts = this.#parts.factsOf(paneKey);
    return facts !== null && this.#parts.watchers.isAttached(facts);
  }

  /** No viewer keeps a size that a person has ended. */
  async #giveBack(window: SizedWindow): Promise<void> {
    for (const { windows } of window.sizers) {
      for (const [runtimeId, each] of windows) if (each === window) windows.delete(runtimeId);
    }
    window.sizers.clear();
    await this.#restore(window);
  }

  /** Runs the changes of one window one after the other; it is forgotten after the last. */
  #change<Result>(window: SizedWindow, work: () => Promise<Result>): Promise<Result> {
    window.changeCount += 1;
    const result = window.tail.then(work);
    window.tail = result.then(
      () => this.#changed(window),
      (error: unknown) => {
        if (!(error instanceof Fault)) this.#parts.onDefect(error);
        this.#changed(window);
      },
    );
    return result;
  }

  #changed(window: SizedWindow): void {
    window.changeCount -= 1;
    if (window.changeCount > 0) return;
    if (window.note !== null) {
      if (!this.#isWanted(window)) this.#retrySoon();
    } else if (window.sizers.size === 0) {
      this.#windows.delete(keyOfWindow({ ...window.address, windowId: window.windowId }));
    }
  }

  #retrySoon(): void {
    if (this.#isClosed) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      for (const window of this.#windows.values()) this.#settle(window);
    }, RETRY_MS).unref();
  }

  async #set(window: SizedWindow, facts: PaneFacts, size: WindowSize): Promise<Outcome<null>> {
    const { watchers, commandTimeoutMs, notes, nowMs } = this.#parts;
    const { windowId, address } = window;
    const link = watchers.linkAt(address);
    if (!link) return gone;
    if (watchers.isAttached(facts)) return attachedRefusal;
    const limits = { deadlineMs: commandTimeoutMs() };
    const reading = readSizedWindow(await link.run(readSizeCommands(windowId), limits));
    if (reading === null || !isLifeOf(reading.window.life, facts)) return gone;
    if (hasPerson(reading.attachedIds, facts)) return attachedRefusal;
    // One of an earlier life of the server is about another window.
    if (window.note === null || !isLifeOf(window.note.before.life, facts)) {
      const note = { ...address, windowId, atMs: nowMs(), before: reading.window };
      if (!notes.add(note)) return unwritten;
      window.note = note;
      window.set = null;
    }
    const { life } = window.note.before;
    const { isSet, attachedIds } = readSizeSet(
      await link.run(setSizeCommands(windowId, life, size), limits),
    );
    if (!isSet) return gone;
    window.set = size;
    if (!hasPerson(attachedIds, facts)) return ok(null);
    await this.#giveBack(window);
    return attachedRefusal;
  }

  /** A server that does not answer is tried again. */
  async #restore(
    window: SizedWindow,
    deadlineMs: number = this.#parts.commandTimeoutMs(),
  ): Promise<void> {
    const { note, windowId, address } = window;
    if (note === null) return;
    const link = this.#parts.watchers.linkAt(address);
    if (!link || !isReached(link.status.state)) return;
    try {
      await link.run(restoreSizeCommands(windowId, note.before, window.set), { deadlineMs });
    } catch (error) {
      if (error instanceof Fault) return;
      throw error;
    }
    // Also where tmux did nothing: then the window is gone, or somebody else has sized it since.
    window.note = null;
    window.set = null;
    window.paneKeys.clear();
    this.#parts.notes.remove({ ...address, windowId });
  }
}

const isReached = (state: string): boolean => state === 'connected' || state === 'degraded';

const isLifeOf = (life: ServerLife, { generation }: PaneFacts): boolean =>
  life.serverPid === generation.pid && life.startTime * 1_000 === generation.startedAtMs;

const hasPerson = (attachedIds: ReadonlySet<string>, { locations }: PaneFacts): boolean =>
  locations.some(({ sessionId }) => attachedIds.has(sessionId));
