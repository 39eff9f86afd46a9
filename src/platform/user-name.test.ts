import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { userName } from './user-name.ts';

const noEntry = (): string => {
  throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
};

it('is the name that the system has for the user', () => {
  expect(userName()).toBe(userInfo().username);
});

it('is that of the environment, or none, where the system has no entry for the user', () => {
  expect(userName(noEntry, { USER: 'me' })).toBe('me');
  expect(userName(noEntry, {})).toBe('');
});
