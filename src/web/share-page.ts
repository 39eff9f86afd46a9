// The page of a read-only share: one screen, asked for again and again until the link or the agent
// ends. It has the code of its address, no cookie, and nothing of the dashboard.

import type { SharedScreen } from '../schema/web/share.ts';
import { screenLines } from './state/screen-lines.ts';

const PAUSE_MS = 1_500;
const PROBLEM_PAUSE_MS = 5_000;
/** Who guessed too often is shut out for so long. */
const SHUT_OUT_MS = 60_000;

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  body.share { margin: 0; min-height: 100dvh; display: grid; grid-template-rows: auto 1fr auto; }
  .share header, .share footer {
    padding: 10px max(16px, env(safe-area-inset-left)); font-size: var(--small); color: var(--dim);
  }
  .share header { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; }
  .share header strong { color: var(--text); }
  .share main {
    color-scheme: dark; overflow: auto; container-type: inline-size;
    background: var(--screen-back);
  }
  .share pre {
    margin: 0; padding: 10px 12px; width: max-content; min-height: 100%;
    color: var(--screen-text);
    font: clamp(7px, calc(100cqw / var(--columns, 80) / 0.605), 14px) / 1.35 var(--mono);
  }
`);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
};
const [screen, status, what] = [part('screen'), part('status'), part('what')];
// It may be larger than the window: keys scroll it.
screen.tabIndex = 0;
screen.role = 'group';
screen.ariaLabel = 'The shared screen';
/** Without a slash at its end. */
const address = location.pathname.replace(/\/+$/, '');
let version = '';

/** Nothing of an ended share stays on the page. */
function end(text: string): null {
  screen.hidden = true;
  screen.replaceChildren();
  status.textContent = text;
  return null;
}

function draw({ lines, columns }: SharedScreen): void {
  if (lines === null) return;
  screen.style.setProperty('--columns', String(columns));
  const rows = screenLines(lines).flatMap((pieces) => [
    ...pieces.map(({ text, css }) => {
      const piece = document.createElement('span');
      piece.textContent = text;
      piece.style.cssText = css;
      return piece;
    }),
    '\n',
  ]);
  screen.replaceChildren(...rows);
  screen.hidden = false;
}

function show(shared: SharedScreen): number {
  draw(shared);
  version = shared.version;
  what.textContent = [shared.agent ?? 'an agent', shared.state.replace('_', ' ')].join(' · ');
  const minutes = Math.max(1, Math.round((Date.parse(shared.expires_at) - Date.now()) / 60_000));
  const left = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  status.textContent = `live, read-only, for ${left} more`;
  return PAUSE_MS;
}

/** When to ask again; null: never. */
async function read(): Promise<number | null> {
  if (document.hidden) return PAUSE_MS;
  const query = version === '' ? '' : `?version=${encodeURIComponent(version)}`;
  const reply = await fetch(`${address}/rows${query}`, { credentials: 'omit', cache: 'no-store' });
  if (reply.ok) return show((await reply.json()) as SharedScreen);
  const { error } = (await reply.json()) as { readonly error: string };
  if (reply.status === 404 || reply.status === 410) return end(error);
  status.textContent = error;
  return reply.status === 429 ? SHUT_OUT_MS : PROBLEM_PAUSE_MS;
}

async function follow(): Promise<void> {
  let pauseMs: number | null;
  try {
    pauseMs = await read();
  } catch {
    status.textContent = 'The connection is lost; trying again …';
    pauseMs = PROBLEM_PAUSE_MS;
  }
  if (pauseMs !== null) setTimeout(() => void follow(), pauseMs);
}

void follow();
