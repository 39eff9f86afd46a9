// Whether the live end of a screen is a shell's, a pager's or an editor's: then what stands above
// is a text that somebody looks at, or that a program left, and no agent.

import type { ScreenView } from './screen-view.ts';

/** `(venv) user@host:~$ `, `[user@host dir]# `, `host% `, also with a command typed after it. */
const plainPrompt =
  /^(?:\([^)\s]{1,40}\) )?(?:\[\S{1,60} [^\]]{1,80}\]|[^\s│┃|]{0,100})(?:[$#]|(?<!\d)%)(?: |$)/u;

/** Prompts of shells with other signs, which agents use as well: nothing may follow them. */
const otherPrompt = /^(?:[^│┃|]{0,120}\s)?[❯➜»λ›>](?: \S{0,60} git:\(\S{1,60}\))?[ ✗]{0,3}$/u;

const pagerOrEditor = [
  /^:$/,
  /^(?:\S.{0,200} )?\(END\)$/,
  /^--More--/,
  /^(?:lines|\S{1,200} lines) \d{1,7}(?:-\d{1,7})?(?:[ /]|$)/,
  /^-- (?:INSERT|REPLACE|VISUAL|V-LINE|NORMAL)\b/,
  /^"[^"]{1,200}" .{0,30}\d{1,7}L\b/,
  /\d{1,7},\d{1,5}(?:-\d{1,5})? {2,20}(?:All|Top|Bot|\d{1,3}%)$/,
  /^\^G (?:Get )?Help {2,}\^/,
  /^-[-:*%]{2,5}.{0,60}\([A-Z][A-Za-z ]{2,40}\) ?-*$/,
  /^~$/,
] as const;

/** Whether a shell, a pager or an editor is at the live end of the screen; null: none of them. */
export function foreignBottom(view: ScreenView): 'shell' | 'viewer' | null {
  const last = view.lines.at(-1) ?? '';
  if (pagerOrEditor.some((pattern) => pattern.test(last))) return 'viewer';
  if (view.cursor === null) return plainPrompt.test(last) && /[$#%]$/.test(last) ? 'shell' : null;
  const { x, y } = view.cursor;
  // A killed agent leaves text to the right of the prompt and under it.
  const typed = (view.lines[y] ?? '').padEnd(x).slice(0, x);
  if (plainPrompt.test(typed)) return 'shell';
  return y >= view.lines.length - 1 && otherPrompt.test(typed) ? 'shell' : null;
}
