import { describe, expect, it } from 'vitest';
import type { ProcessInfo } from './process-tree.ts';
import { findWrappedProgram, isRunWrapper, isWithin } from './wrapped-program.ts';

const process = (pid: number, ppid: number, ...argv: string[]): ProcessInfo => ({
  pid,
  ppid,
  comm: argv[0] ?? '',
  argv,
  stat: 'S+',
});
const shell = process(1, 0, '-bash');
const node = ['/usr/bin/node', '--no-warnings', '/opt/agtmux/bin/agtmux.js'];
const found = (...tree: ProcessInfo[]) => {
  const wrapped = findWrappedProgram(tree);
  return wrapped && [wrapped.process.pid, wrapped.agent, wrapped.name];
};

describe('a wrapped program', () => {
  it.each([
    [['run', '--', '/usr/bin/make', 'all'], null, 'make'],
    [['run', '--name', 'My Build 2', '--', 'make'], null, 'my-build-2'],
    [['--socket-path', '/s', 'run', '--agent=claude', '--', 'make'], 'claude', 'make'],
    [['run', 'make'], null, 'make'],
    [['run', '--name', '42', '--', 'make'], null, 'generic'],
  ])('is the child of `agtmux` with arguments %j', (words, agent, name) => {
    const program = process(3, 2, '/usr/bin/make', 'all');
    expect(found(shell, process(2, 1, ...node, ...words), program)).toEqual([3, agent, name]);
  });

  it.each([
    [['job agtmux run --agent claude --name My-Build --', '', ''], 'claude', 'my-build'],
    [['job', 'agtmux', 'run', '--name', 'x', '--'], null, 'x'],
  ])('is the child of a wrapper with the process title %j', (argv, agent, name) => {
    const program = process(3, 2, '/usr/bin/job', 'all');
    expect(found(shell, process(2, 1, ...argv), program)).toEqual([3, agent, name]);
    expect(isRunWrapper(process(2, 1, ...argv))).toBe(true);
  });

  it('is not the child of another agtmux command or of a program with such arguments', () => {
    const child = process(3, 2, 'tmux');
    expect(found(shell, process(2, 1, ...node, 'list', 'panes'), child)).toBeNull();
    expect(found(shell, process(2, 1, ...node, 'daemon', 'run'), child)).toBeNull();
    expect(found(shell, process(2, 1, ...node, 'emit', '--', 'run'), child)).toBeNull();
    expect(found(shell, process(2, 1, 'cat', 'a', 'b', 'c', 'agtmux', 'run'), child)).toBeNull();
    expect(found(shell, process(2, 1, 'grep', 'agtmux', 'run', 'x'), child)).toBeNull();
    expect(found(shell, process(2, 1, 'node', 'x.js', 'agtmux', 'run'), child)).toBeNull();
  });

  it('is neither the emitter nor a second wrapper process', () => {
    const inner = process(3, 2, ...node, 'run', '--', 'job');
    const emitter = process(4, 3, '/bin/sh', '/opt/agtmux/emitter/agtmux-emit', '--source');
    const wrapper = process(2, 1, ...node, 'run', '--', 'job');
    expect(found(shell, wrapper, inner, emitter)).toBeNull();
    expect(found(shell, wrapper, inner, emitter, process(5, 3, 'job'))).toEqual([5, null, 'job']);
  });

  it('contains the processes that it started', () => {
    const [program, child, other] = [process(3, 2, 'a'), process(4, 3, 'b'), process(5, 1, 'c')];
    const tree = [shell, program, child, other];
    expect(isWithin(child, program, tree)).toBe(true);
    expect(isWithin(program, program, tree)).toBe(true);
    expect(isWithin(other, program, tree)).toBe(false);
  });
});
