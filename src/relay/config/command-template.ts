// The command lines of coders: templates with one placeholder, the id of the agent's session. The
// line is for a shell and written by the user; what is put into it must not need quoting. Pure.

const PLACEHOLDER = /\{([a-z][a-z0-9-]*)\}/g;
const SESSION = 'coder-session-id';
/** Ids of agents' sessions, and paths of their files; no shell reads any of it as more. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._:/@+=,-]*$/;

export type FilledTemplate =
  | { readonly ok: true; readonly command: string }
  | { readonly ok: false; readonly problem: string };

/** Why a template cannot be used at all; null when it can. */
export function templateProblem(template: string): string | null {
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name]) => name !== SESSION);
  if (unknown) return `knows no placeholder ${unknown[0]}; there is {${SESSION}}`;
  return template.includes('\0') ? 'holds a NUL' : null;
}

export function fillTemplate(template: string, sessionId: string | null): FilledTemplate {
  const placeholder = `{${SESSION}}`;
  if (!template.includes(placeholder)) return { ok: true, command: template };
  if (sessionId === null) {
    return { ok: false, problem: `needs {${SESSION}}, which the session does not set` };
  }
  return { ok: true, command: template.replaceAll(placeholder, () => sessionId) };
}

/** Whether the id can stand in a command line as it is. */
export const isPlainSessionId = (sessionId: string): boolean =>
  sessionId.length <= 512 && PLAIN.test(sessionId);
