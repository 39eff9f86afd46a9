import { expect, it } from 'vitest';
import { createDelayMs, isTransientTmuxError } from './create-retry.ts';

it.each([
  ['relay', 1, 35 + ((541 + 7) % 35)],
  ['relay', 3, 105 + ((541 + 21) % 35)],
  ['é', 1, 35 + ((0xc3 + 0xa9 + 7) % 35)],
])('the delay of %s after attempt %i is %i ms, always', (name, attempt, delayMs) => {
  expect(createDelayMs(name, attempt)).toBe(delayMs);
});

it.each([
  ['no server running on /tmp/tmux-0/x', true],
  ['Failed to connect to server', true],
  ['server exited unexpectedly', true],
  ['error connecting to /tmp/x (Connection refused)', true],
  ['error connecting to /tmp/x (No such file or directory)', true],
  ['duplicate session: a', false],
  ['invalid option: @x', false],
])('"%s" passes by itself: %s', (message, isTransient) => {
  expect(isTransientTmuxError(message)).toBe(isTransient);
});
