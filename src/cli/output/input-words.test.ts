import { expect, it } from 'vitest';
import { inputWords } from './input-words.ts';

it.each([
  ['share_pane: expires_in_ms must be at most 604800000', '--expires must be at most 7d'],
  ['snooze: for_ms must be at least 1000', '--for must be at least 1s'],
  ['press: keys.0 is not valid: invalid string', '--key is not valid: invalid string'],
  ['add_target: connection_ref is not valid: no', '--ssh-target is not valid: no'],
  ['send: text must have at least 1 character', 'the text must have at least 1 character'],
  ['the text is empty', 'the text is empty'],
  ['--paste is for texts; keys are pressed.', '--paste is for texts; keys are pressed.'],
])('says %s as %s', (message, words) => {
  expect(inputWords(message)).toBe(words);
});
