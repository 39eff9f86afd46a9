// The filters of a client: patterns of the names and folders of agents that it wants to see, or
// not. They come over the network, so an engine that takes linear time matches them; it is loaded
// with the first one.

import type { WebRequest } from './web-request.ts';

const PATTERN_LENGTH_MAX = 1_024;
/** Seventy counted repetitions of a thousand letters take seconds to compile, for all clients. */
const PATTERN_COST_MAX = 2_000;
const REPETITION = /(\)?)\{(\d+)(?:,(\d*))?\}/g;

type Matches = (text: string) => boolean;

/** Whether an agent is shown. */
export type AgentFilter = (agent: { readonly name: string; readonly workDir: string }) => boolean;

/** The filter that a request asks for, or what is wrong with it. */
export async function agentFilter(
  request: WebRequest,
): Promise<AgentFilter | { readonly error: string }> {
  const { includeSessionFilter, excludeSessionFilter } = request;
  const { includePathFilter, excludePathFilter } = request;
  const names = await textFilter('session', includeSessionFilter, excludeSessionFilter);
  if (typeof names !== 'function') return names;
  const paths = await textFilter('path', includePathFilter, excludePathFilter);
  if (typeof paths !== 'function') return paths;
  return ({ name, workDir }) => names(name) && paths(workDir);
}

async function textFilter(
  what: string,
  include = '',
  exclude = '',
): Promise<Matches | { readonly error: string }> {
  const included = include === '' ? () => true : await compile(include, `${what} include`);
  if (typeof included !== 'function') return included;
  const excluded = exclude === '' ? () => false : await compile(exclude, `${what} exclude`);
  if (typeof excluded !== 'function') return excluded;
  return (text) => included(text) && !excluded(text);
}

async function compile(
  pattern: string,
  which: string,
): Promise<Matches | { readonly error: string }> {
  const refuse = (why: string) => ({ error: `invalid ${which} filter: ${why}` });
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return refuse(`more than ${PATTERN_LENGTH_MAX} characters`);
  }
  if (costOf(pattern) > PATTERN_COST_MAX) return refuse('it repeats too much');
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matcher(text).find();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : 'not a pattern');
  }
}

/** About how large the compiled pattern is: what a group repeats may repeat by itself. */
function costOf(pattern: string): number {
  let size = pattern.length;
  let factor = 1;
  for (const [, group, least = '', most = ''] of pattern.matchAll(REPETITION)) {
    const count = Math.max(1, Number(least), Number(most));
    if (group === ')') factor *= count;
    else size += count;
  }
  return size * factor;
}
