// The panes that somebody views. Each is read through a tap that is open for its agent anyway, and
// is captured where there is none; it changes over when taps open and close.

import type { PaneRecord, World } from '../../core/world.ts';
import type {
  OpenStream,
  OutputMessage,
  StreamSink,
} from '../../operations/ports/stream-message.ts';
import type { ViewsPort } from '../../operations/ports/watched-ports.ts';
import type { PaneKey } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { WatchedOutput, WatchOutputInput } from '../../schema/web/output.ts';
import type { ViewItem } from '../../tmux/views/tap-views.ts';
import type { Watchers } from '../watching/watchers.ts';
import { SizeNotes } from './size-notes.ts';
import { ViewedTerminal } from './viewed-terminal.ts';
import { WindowSizes } from './window-sizes.ts';

/** How soon a tap that gave no snapshot is tried again. */
const RETRY_MS = 1_000;

export interface PaneViewsParts {
  readonly world: () => World;
  /** Called after every change of the world, until it is disposed of. */
  readonly onChange: (listener: () => void) => Disposable;
  readonly watchers: Pick<
    Watchers,
    | 'linkAt'
    | 'openTapOf'
    | 'onTaps'
    | 'onViewItems'
    | 'keyOf'
    | 'view'
    | 'wantTaps'
    | 'askSnapshot'
    | 'isAttached'
    | 'onAttached'
  >;
  readonly commandTimeoutMs: () => number;
  readonly nowMs: () => number;
  /** Where it is written how windows were before viewers have sized them. */
  readonly sizesFile: string;
  readonly onDefect: (error: unknown) => void;
}

interface PaneView {
  readonly view: ViewedTerminal;
  readonly facts: PaneFacts;
  readonly paneKey: PaneKey;
}

export class PaneViews implements ViewsPort, AsyncDisposable {
  readonly #parts: PaneViewsParts;
  readonly #views = new Map<string, PaneView>();
  readonly #watch: Disposable;
  readonly #sizes: WindowSizes;
  #nextStream = 1;
  #nextRequest = 1;
  #retry: NodeJS.Timeout | null = null;

  constructor(parts: PaneViewsParts) {
    this.#parts = parts;
    parts.watchers.onViewItems((items) => this.#take(items));
    parts.watchers.onTaps(() => this.#followTaps());
    this.#watch = parts.onChange(() => this.#endGone());
    const { watchers, nowMs, commandTimeoutMs, sizesFile, onDefect } = parts;
    this.#sizes = new WindowSizes({
      ...{ watchers, nowMs, commandTimeoutMs, onDefect },
      notes: new SizeNotes(sizesFile, nowMs()),
      factsOf: (paneKey) => parts.world().panes.get(paneKey)?.facts ?? null,
      isViewed: (paneKey) => [...this.#views.values()].some((each) => each.paneKey === paneKey),
    });
  }

  get viewerCount(): number {
    return [...this.#views.values()].reduce((sum, { view }) => sum + view.viewerCount, 0);
  }

  get sizedCount(): number {
    return this.#sizes.count;
  }

  resize: ViewsPort['resize'] = (...resizing) => this.#sizes.resize(...resizing);

  release: ViewsPort['release'] = (...released) => this.#sizes.release(...released);

  open = (
    pane: PaneRecord,
    input: WatchOutputInput,
    sink: StreamSink<OutputMessage>,
  ): OpenStream<WatchedOutput> => {
    const subscription = `o${this.#nextStream}`;
    this.#nextStream += 1;
    let viewer: ReturnType<ViewedTerminal['add']> | null = null;
    let key = '';
    return {
      reply: { subscription },
      start: () => {
        const { facts } = pane;
        if (facts === null) {
          sink.send({ type: 'output_ended', epoch: 0, seq: 0, reason: 'it has no pane' });
          return;
        }
        key = this.#keyOf(facts);
        const paneView = this.#views.get(key) ?? this.#begin(key, pane.paneKey, facts);
        viewer = paneView.view.add(sink, input.history_lines);
      },
      drained: () => viewer?.drained(),
      [Symbol.dispose]: () => {
        viewer?.leave();
        viewer = null;
        if (this.#views.get(key)?.view.isUnused) this.#drop(key);
      },
    };
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    if (this.#retry) clearTimeout(this.#retry);
    for (const { view } of this.#views.values()) view[Symbol.dispose]();
    this.#views.clear();
    this.#declare();
    await this.#sizes[Symbol.asyncDispose]();
  }

  #keyOf = (facts: PaneFacts): string => `${facts.paneId} ${this.#parts.watchers.keyOf(facts)}`;

  #begin(key: string, paneKey: PaneKey, facts: PaneFacts): PaneView {
    const { watchers, world, commandTimeoutMs } = this.#parts;
    const factsNow = () => world().panes.get(paneKey)?.facts ?? facts;
    const view = new ViewedTerminal({
      server: watchers.keyOf(facts),
      paneId: facts.paneId,
      sessionId: () => watchers.openTapOf(factsNow()),
      link: () => watchers.linkAt(facts),
      commandTimeoutMs,
      ask: (request) => watchers.askSnapshot(request),
      nextRequest: () => this.#nextRequest++,
      onLost: () => this.#followSoon(),
    });
    const paneView = { view, facts, paneKey };
    this.#views.set(key, paneView);
    this.#declare();
    return paneView;
  }

  #drop(key: string): void {
    this.#views.delete(key);
    this.#declare();
    this.#sizes.viewerLeft();
  }

  /** Says to the taps which panes are viewed. */
  #declare(): void {
    const { watchers } = this.#parts;
    watchers.wantTaps([...this.#views.values()].map(({ facts }) => facts));
    watchers.view(
      [...this.#views.values()].flatMap(({ view: { sessionId }, facts }) =>
        sessionId === null
          ? []
          : [{ server: watchers.keyOf(facts), sessionId, paneId: facts.paneId }],
      ),
    );
  }

  #take(items: readonly ViewItem[]): void {
    for (const item of items) this.#views.get(`${item.paneId} ${item.server}`)?.view.take(item);
  }

  #followSoon(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#followTaps();
    }, RETRY_MS).unref();
  }

  /** A tap must know that a pane is viewed before it is asked for a snapshot. */
  #followTaps(): void {
    const views = [...this.#views.values()].map(({ view }) => view);
    const moved = views.filter((view) => view.sessionId !== view.nextSessionId);
    if (moved.length === 0) return;
    for (const view of moved) view.follow();
    this.#declare();
    for (const view of moved) view.refresh();
  }

  /** A pane that is gone shows nothing more. */
  #endGone(): void {
    if (this.#views.size === 0) return;
    const { panes } = this.#parts.world();
    for (const [key, { view, paneKey }] of this.#views) {
      if (panes.get(paneKey)?.goneAtMs === null) continue;
      view.end('the pane is gone');
      this.#drop(key);
    }
  }
}
