// Which of the sessions in an agent's server is the one in its pane. Subagents have sessions of
// their own, below the one that started them; other programs may use the same server. No I/O.

import { type Fields, fieldsAt, idAt, textAt } from '../../agents/signals/fields.ts';

/** More sessions than one agent has in its life; the oldest are forgotten. */
const SESSIONS_MAX = 500;

interface KnownSession {
  readonly parentId: string | null;
  readonly title: string | null;
}

const sessionOf = (fields: Fields): string | undefined =>
  idAt(fields, 'properties.sessionID', 'properties.info.sessionID', 'properties.info.id');

const isIdle = (fields: Fields): boolean => textAt(fields, 'properties.status.type') === 'idle';

export class BusSessions {
  readonly #known = new Map<string, KnownSession>();
  /** Sessions at the top that work now, and of them those that the pane's title spoke against. */
  readonly #working = new Set<string>();
  readonly #refused = new Set<string>();
  #current: string | null = null;

  /** The session of the pane; null while none was seen to work. */
  get current(): string | null {
    return this.#current;
  }

  /** Takes the facts about a session, from an event or from a reply. */
  learn(info: Fields): void {
    const sessionId = idAt(info, 'id');
    if (sessionId === undefined) return;
    const before = this.#known.get(sessionId);
    const parentId = idAt(info, 'parentID') ?? before?.parentId ?? null;
    this.#known.set(sessionId, { parentId, title: textAt(info, 'title') ?? null });
    const oldest = this.#known.size > SESSIONS_MAX ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** The session at the top of this one's parents. */
  rootOf(sessionId: string): string {
    let root = sessionId;
    for (let step = 0; step < 8; step += 1) {
      const parent = this.#known.get(root)?.parentId;
      if (parent === undefined || parent === null) break;
      root = parent;
    }
    return root;
  }

  /** True for events of the pane's session or a subagent. Work makes a session the pane's. */
  isOfPane(fields: Fields, paneTitle: string): boolean {
    const type = textAt(fields, 'type');
    const info = fieldsAt(fields, 'properties.info');
    if (info && (type === 'session.created' || type === 'session.updated')) this.learn(info);
    const sessionId = sessionOf(fields);
    if (sessionId === undefined) return true;
    const root = this.rootOf(sessionId);
    const begins = this.#begins(type, fields, root);
    // Tried again at later events: the pane's title is read a moment after it was set.
    if (begins || this.#refused.has(root)) this.enter(root, paneTitle);
    return this.#current === null || root === this.#current;
  }

  /** Only these sessions work now; earlier events may be out of date. */
  reset(working: readonly string[]): void {
    this.#refused.clear();
    this.#working.clear();
    for (const each of working.slice(0, SESSIONS_MAX)) this.#working.add(this.rootOf(each));
  }

  /** Makes a session that works the pane's, unless the pane's title names the other. */
  enter(root: string, paneTitle: string): void {
    if (this.#current !== null && this.#isNamed(this.#current, root, paneTitle)) {
      this.#refused.add(root);
      return;
    }
    this.#refused.delete(root);
    this.#current = root;
  }

  /** Whether a session begins to work with this event. */
  #begins(type: string | undefined, fields: Fields, root: string): boolean {
    if (type === 'session.idle' && sessionOf(fields) === root) {
      this.#working.delete(root);
      this.#refused.delete(root);
    }
    const isWork = type === 'session.status' && !isIdle(fields);
    if (!isWork || this.#working.has(root)) return false;
    if (this.#working.size >= SESSIONS_MAX) {
      this.#working.clear();
      this.#refused.clear();
    }
    this.#working.add(root);
    return root !== this.#current;
  }

  /** Whether the title names the first session, and the second has another name. */
  #isNamed(first: string, second: string, paneTitle: string): boolean {
    const title = this.#known.get(first)?.title ?? '';
    const other = this.#known.get(second)?.title ?? '';
    return title !== '' && title !== other && paneTitle.endsWith(`| ${title}`);
  }
}
