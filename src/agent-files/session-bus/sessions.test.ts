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
  it('is the one that was last at work, and its subagents are of it', () => {
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

  it('stays the one that the title names while another program works in its own', () => {
    const sessions = new BusSessions();
    sessions.isOfPane(created('a', { title: 'mine' }), '');
    sessions.isOfPane(created('b', { title: 'of a web page' }), '');
    sessions.isOfPane(status('a', 'busy'), 'OC | mine');
    expect(sessions.isOfPane(status('b', 'busy'), 'OC | mine')).toBe(false);
    expect(sessions.current).toBe('a');
    expect(sessions.isOfPane(status('b', 'retry'), 'OC | of a web page')).toBe(true);
  });

  it('does not follow parents in a circle', () => {
    const sessions = new BusSessions();
    sessions.learn({ id: 'a', parentID: 'b' });
    sessions.learn({ id: 'b', parentID: 'a' });
    expect(['a', 'b']).toContain(sessions.rootOf('a'));
  });
});

describe('what stands', () => {
  it('is rest where nobody works', () => {
    const { events } = snapshotEvents(nobody, new BusSessions(), '');
    expect(events).toEqual([{ type: 'session.status', properties: { status: { type: 'idle' } } }]);
  });

  it('is told of one session with its subagents, and not of another', () => {
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
