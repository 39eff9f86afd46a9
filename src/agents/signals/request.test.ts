import { expect, it } from 'vitest';
import { describeApproval } from './request.ts';

const commandOf = (command: unknown): string | undefined =>
  describeApproval('shell', { command }).command;

it('a command given as words is one line of a shell that means those words', () => {
  expect(commandOf(['git', 'push', '--force'])).toBe('git push --force');
  expect(commandOf(['sh', '-c', "echo 'a b'; rm x"])).toBe(
    String.raw`sh -c 'echo '\''a b'\''; rm x'`,
  );
});

it('commands of other words never look alike, nor like a line that means more', () => {
  const commands = [
    ['rm', 'a b'],
    ['rm', 'a', 'b'],
    ['rm', "'a b'"],
    ['rm', 'a', '', 'b'],
    ['echo', ';', 'rm'],
    'echo ; rm',
    ['echo', '$(rm)'],
    'echo $(rm)',
  ];
  expect(new Set(commands.map(commandOf)).size).toBe(commands.length);
});

it('a list that is not read to its end says so, as a cut command does', () => {
  expect(commandOf(['make', 7, 'all'])).toBe('make all …');
  expect(commandOf(Array.from({ length: 400 }, () => 'a'))).toMatch(/ a …$/);
});
