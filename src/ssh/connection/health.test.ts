import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HealthEvent, type HostHealth, reduceHealth, untriedHealth } from './health.ts';
import { reasonOf } from './reason.ts';

const unreachable = reasonOf('host_unreachable');
const answered = (atMs: number): HealthEvent => ({ kind: 'answered', atMs });
const failed = (atMs: number): HealthEvent => ({ kind: 'failed', atMs, reason: unreachable });
const passed = (atMs: number): HealthEvent => ({ kind: 'passed', atMs });

function healthAfter(...events: readonly HealthEvent[]): HostHealth {
  return events.reduce((health, event) => reduceHealth(health, event), untriedHealth);
}

describe('the health of a host', () => {
  it('is neither ok nor down before the first attempt', () => {
    expect(healthAfter()).toMatchObject({ level: 'degraded', reason: null });
    expect(healthAfter(passed(100_000)).level).toBe('degraded');
  });

  it('is ok with the first answer', () => {
    expect(healthAfter(answered(1))).toMatchObject({ level: 'ok', answeredAtMs: 1 });
  });

  it('is degraded after a failure, and down after three', () => {
    expect(healthAfter(answered(1), failed(2))).toMatchObject({
      level: 'degraded',
      reason: unreachable,
    });
    expect(healthAfter(answered(1), failed(2), failed(3)).level).toBe('degraded');
    expect(healthAfter(answered(1), failed(2), failed(3), failed(4))).toMatchObject({
      level: 'down',
    });
  });

  it('is down after 30 s of failing, by the passing of time alone', () => {
    expect(healthAfter(answered(1), failed(1_000), passed(30_999)).level).toBe('degraded');
    expect(healthAfter(answered(1), failed(1_000), passed(31_000)).level).toBe('down');
  });

  it('needs two answers in a row to recover', () => {
    const down = [failed(1), failed(2), failed(3)];
    expect(healthAfter(...down, answered(4)).level).toBe('down');
    expect(healthAfter(...down, answered(4), failed(5), answered(6)).level).toBe('down');
    expect(healthAfter(...down, answered(4), answered(5))).toMatchObject({
      level: 'ok',
      reason: null,
    });
  });

  it('does not flap when every second attempt fails', () => {
    const events = [answered(0)];
    for (let atMs = 1; atMs < 20; atMs += 2) events.push(failed(atMs), answered(atMs + 1));
    expect(healthAfter(...events).level).toBe('down');
  });

  it('is no better than degraded while the host lacks something', () => {
    const limitation = reasonOf('no_tmux');
    const limited: HealthEvent = { kind: 'limited', atMs: 1, limitation };
    expect(healthAfter(limited, answered(2))).toMatchObject({
      level: 'degraded',
      reason: limitation,
    });
    const lifted: HealthEvent = { kind: 'limited', atMs: 3, limitation: null };
    expect(healthAfter(limited, answered(2), lifted)).toMatchObject({ level: 'ok', reason: null });
    expect(healthAfter(limited, answered(2), failed(3), failed(4), failed(5))).toMatchObject({
      level: 'down',
      reason: unreachable,
    });
  });

  it('always has a reason when it is down, and none when it is ok', () => {
    const event = fc.oneof(fc.constant(answered), fc.constant(failed), fc.constant(passed));
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.nat(20_000))), (steps) => {
        let atMs = 0;
        const events = steps.map(([make, waitMs]) => {
          atMs += waitMs;
          return make(atMs);
        });
        const { level, reason } = healthAfter(...events);
        if (level === 'down') expect(reason).toEqual(unreachable);
        if (level === 'ok') expect(reason).toBeNull();
      }),
    );
  });
});
