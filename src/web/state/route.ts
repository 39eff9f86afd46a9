// What the address of the page shows, as text behind its `#`. Pure.

export const paneTabs = ['terminal', 'conversation', 'timeline', 'explain'] as const;
export type PaneTab = (typeof paneTabs)[number];

export type Route =
  | { readonly page: 'fleet' }
  | { readonly page: 'inbox' }
  | { readonly page: 'send' }
  | { readonly page: 'settings' }
  | { readonly page: 'teams' }
  /** A null thread is the list of them. */
  | { readonly page: 'messages'; readonly thread: string | null }
  | { readonly page: 'pane'; readonly ref: string; readonly tab: PaneTab };

/** The fleet for an address that means nothing. */
export function readRoute(hash: string): Route {
  const [page = '', ref = '', tab = ''] = hash.replace(/^#?\/?/, '').split('/');
  switch (page) {
    case 'inbox':
    case 'send':
    case 'settings':
    case 'teams':
      return { page };
    case 'messages': {
      const thread = decoded(ref);
      return { page, thread: thread === '' ? null : thread };
    }
    case 'pane': {
      const read = decoded(ref);
      if (read === '') return { page: 'fleet' };
      return { page, ref: read, tab: paneTabs.find((each) => each === tab) ?? 'terminal' };
    }
    default:
      return { page: 'fleet' };
  }
}

export function routeHash(route: Route): string {
  if (route.page === 'fleet') return '#/';
  if (route.page === 'messages' && route.thread !== null) {
    return `#/messages/${encodeURIComponent(route.thread)}`;
  }
  if (route.page !== 'pane') return `#/${route.page}`;
  const tab = route.tab === 'terminal' ? '' : `/${route.tab}`;
  return `#/pane/${encodeURIComponent(route.ref)}${tab}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
