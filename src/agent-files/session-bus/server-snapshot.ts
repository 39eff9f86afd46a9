// The state of an agent's server at one moment, fetched after each connection: which sessions work,
// and which requests are open. It is turned into the events that the stream would have sent.

import {
  type Fields,
  idAt,
  isFields,
  numberAt,
  textAt,
  valueAt,
} from '../../agents/signals/fields.ts';
import { getJson } from './http.ts';
import type { BusSessions } from './sessions.ts';

/** Sessions that work or ask at once; the details of more are not fetched. */
const SESSIONS_MAX = 16;
const REQUESTS_MAX = 100;

export interface ServerSnapshot {
  /** By session; one that is not there is idle. */
  readonly statuses: Fields;
  readonly permissions: readonly Fields[];
  readonly questions: readonly Fields[];
  /** The sessions themselves, the one that was last at work last. */
  readonly sessions: readonly Fields[];
}

/** The current state; null where the server does not answer. */
export async function fetchSnapshot(port: number): Promise<ServerSnapshot | null> {
  const [status, permission, question] = await Promise.all([
    getJson(port, '/session/status'),
    getJson(port, '/permission'),
    getJson(port, '/question'),
  ]);
  if (status.kind !== 'json' || !isFields(status.value)) return null;
  // A request that is not listed was answered, so the lists must be complete.
  if (permission.kind === 'failed' || question.kind === 'failed') return null;
  const permissions = listOf(permission);
  const questions = listOf(question);
  const asking = [...permissions, ...questions].map((each) => idAt(each, 'sessionID'));
  const ids = new Set([...Object.keys(status.value), ...asking]);
  const sessions = await Promise.all(
    [...ids].slice(0, SESSIONS_MAX).map((id) => session(port, id)),
  );
  return {
    statuses: status.value,
    permissions,
    questions,
    sessions: sessions
      .filter((each) => each !== null)
      .sort((a, b) => (numberAt(a, 'time.updated') ?? 0) - (numberAt(b, 'time.updated') ?? 0)),
  };
}

/** Older versions have no questions and may answer with a page: only a list counts. */
function listOf(answer: Awaited<ReturnType<typeof getJson>>): readonly Fields[] {
  if (answer.kind !== 'json' || !Array.isArray(answer.value)) return [];
  return answer.value.slice(0, REQUESTS_MAX).filter(isFields);
}

async function session(port: number, sessionId: string | undefined): Promise<Fields | null> {
  if (sessionId === undefined || !/^\w{1,100}$/.test(sessionId)) return null;
  const answer = await getJson(port, `/session/${sessionId}`);
  return answer.kind === 'json' && isFields(answer.value) ? answer.value : null;
}

export interface SnapshotEvents {
  /** In the order in which they are submitted. */
  readonly events: readonly Fields[];
  /** The ids of the open requests. */
  readonly requestIds: ReadonlySet<string>;
}

/** The events for the pane; of several sessions at work it takes one. */
export function snapshotEvents(
  { statuses, permissions, questions, sessions }: ServerSnapshot,
  tracked: BusSessions,
  paneTitle: string,
): SnapshotEvents {
  for (const each of sessions) tracked.learn(each);
  const working = Object.keys(statuses).filter((each) => isWorking(statuses, each));
  tracked.reset(working);
  const last = sessions.map((each) => idAt(each, 'id')).filter((each) => each !== undefined);
  const current = tracked.current;
  if (current === null || !working.includes(current)) {
    for (const each of last)
      if (working.includes(each)) tracked.enter(tracked.rootOf(each), paneTitle);
  }
  const isOfPane = (each: Fields): boolean =>
    tracked.current === null || tracked.rootOf(idAt(each, 'sessionID') ?? '') === tracked.current;
  const requests = [
    ...permissions.filter(isOfPane).map((each) => event('permission.asked', each)),
    ...questions.filter(isOfPane).map((each) => event('question.asked', each)),
  ];
  const ids = requests
    .map((each) => idAt(each, 'properties.id'))
    .filter((each) => each !== undefined);
  return { events: [statusOf(statuses, tracked.current), ...requests], requestIds: new Set(ids) };
}

const isWorking = (statuses: Fields, sessionId: string): boolean =>
  textAt(statuses, `${sessionId}.type`) !== 'idle';

const event = (type: string, properties: Fields): Fields => ({ type, properties });

function statusOf(statuses: Fields, sessionId: string | null): Fields {
  const status = sessionId === null ? undefined : valueAt(statuses, sessionId);
  const properties = { status: status ?? { type: 'idle' } };
  return event(
    'session.status',
    sessionId === null ? properties : { ...properties, sessionID: sessionId },
  );
}
