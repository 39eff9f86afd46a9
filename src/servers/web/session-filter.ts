// The filters of a client: patterns of agents' names that it wants to see, or not. They come over
// the network, so an engine that takes linear time matches them; it is loaded with the first one.

import type { WebRequest } from './web-request.ts';

const PATTERN_LENGTH_MAX = 1_024;

/** Whether an agent of this name is shown. */
export type NameFilter = (name: string) => boolean;

const everyName: NameFilter = () => true;

/** The filter that a request asks for, or what is wrong with it. */
export async function nameFilter({
  includeSessionFilter: include = '',
  excludeSessionFilter: exclude = '',
}: WebRequest): Promise<NameFilter | { readonly error: string }> {
  const included = include === '' ? everyName : await compile(include, 'include');
  if (typeof included !== 'function') return included;
  const excluded = exclude === '' ? () => false : await compile(exclude, 'exclude');
  if (typeof excluded !== 'function') return excluded;
  return (name) => included(name) && !excluded(name);
}

async function compile(
  pattern: string,
  which: 'include' | 'exclude',
): Promise<NameFilter | { readonly error: string }> {
  const refuse = (why: string) => ({ error: `invalid session ${which} filter: ${why}` });
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return refuse(`more than ${PATTERN_LENGTH_MAX} characters`);
  }
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern);
    return (name) => compiled.matcher(name).find();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : 'not a pattern');
  }
}
