import { describe, expect, it } from 'vitest';
import { snapshotEvents } from './server-snapshot.ts';
import { BusSessions } from './sessions.ts';

const status = (sessionID: string, type: string) => ({
  type: 'session.status',
  properties: { sessionID, status: { type } },
});
const created = (id: string, more: object = {}) => ({
  type: 'session.created',
  properties: { sessionID: id, info: { id, ...more } },
});
const nobody = { statuses: {}, permissions: [], questions: [], sessions: [] };

describe('the session of the pane', () => {
  it('is the last one that began to work, with its subagents', () => {
    const sessions = new BusSessions();
    expect(sessions.isOfPane(status('a', 'busy'), '')).toBe(true);
    sessions.isOfPane(created('child', { parentID: 'a' }), '');
    expect(sessions.isOfPane(status('child', 'busy'), '')).toBe(true);
    expect(sessions.current).toBe('a');
    expect(sessions.isOfPane(status('b', 'busy'), '')).toBe(true);
    expect(sessions.current).toBe('b');
    expect(sessions.isOfPane(status('a', 'busy'), '')).toBe(false);
    sessions.isOfPane({ type: 'session.idle', properties: { sessionID: 'a' } }, '');
    expect(sessions.isOfPane(status('a', 'busy'), '')).toBe(true);
  });

  it('stays the one in the title while another session works', () => {
    const sessions = new BusSessions();
    sessions.isOfPane(created('a', { title: 'mine' }), '');
    sessions.isOfPane(created('b', { title: 'of a web page' }), '');
    sessions.isOfPane(status('a', 'busy'), 'OC | mine');
    expect(sessions.isOfPane(status('b', 'busy'), 'OC | mine')).toBe(false);
    expect(sessions.current).toBe('a');
    expect(sessions.isOfPane(status('b', 'retry'), 'OC | of a web page')).toBe(true);
  });

  it('is found although the parents form a circle', () => {
    const sessions = new BusSessions();
    sessions.learn({ id: 'a', parentID: 'b' });
    sessions.learn({ id: 'b', parentID: 'a' });
    expect(['a', 'b']).toContain(sessions.rootOf('a'));
  });
});

describe('the events of a snapshot', () => {
  it('report idle when no session works', () => {
    const { events } = snapshotEvents(nobody, new BusSessions(), '');
    expect(events).toEqual([{ type: 'session.status', properties: { status: { type: 'idle' } } }]);
  });

  it('are of one session and its subagents only', () => {
    const snapshot = {
      statuses: { a: { type: 'busy' }, child: { type: 'busy' }, b: { type: 'retry' } },
      permissions: [
        { id: 'per_1', sessionID: 'b' },
        { id: 'per_2', sessionID: 'child' },
      ],
      questions: [],
      sessions: [{ id: 'b' }, { id: 'child', parentID: 'a' }, { id: 'a' }],
    };
    const sessions = new BusSessions();
    const { events, requestIds } = snapshotEvents(snapshot, sessions, '');
    expect(sessions.current).toBe('a');
    expect(events[0]).toMatchObject({ properties: { sessionID: 'a', status: { type: 'busy' } } });
    expect([...requestIds]).toEqual(['per_2']);
  });
});
