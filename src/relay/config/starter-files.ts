// The files that `agtmux bundle init` writes: the coders that are known, two policies, a person,
// and a bundle to start from. Pure text; every key that is there is explained in its file.

/** How each of the known agents starts, and goes on with a session. */
export const starterCoders = {
  claude: { start: 'claude', resume: 'claude --resume {coder-session-id}' },
  codex: { start: 'codex', resume: 'codex resume {coder-session-id}' },
  gemini: { start: 'gemini', resume: 'gemini --resume {coder-session-id}' },
  copilot: { start: 'copilot', resume: 'copilot --resume={coder-session-id}' },
  opencode: { start: 'opencode', resume: 'opencode --session {coder-session-id}' },
} as const;
export type StarterCoder = keyof typeof starterCoders;

export interface StarterMember {
  readonly id: string;
  readonly coder: StarterCoder;
}

export const codersText =
  (): string => `# How agents start. A member of a bundle names one of these.
# The commands are lines for /bin/sh. The resume command is used where a session sets
# coder-session-id, which stands in for {coder-session-id}.
format-version = 1
${Object.entries(starterCoders)
  .map(
    ([id, { start, resume }]) => `
[[coders]]
id = "${id}"
[coders.tmux]
initial-command = "${start}"
resume-command = "${resume}"
`,
  )
  .join('')}`;

const SCOPES =
  '# Scopes: "none", "self", "all:home" (this bundle), "all:all" (every bundle).\n' +
  '# raww: "none" where it is not set. approve, spawn: as agents_may_answer in config.toml says.\n';

const policyText = (id: string, about: string, scope: string): string => `
[[policies]]
id = "${id}"
description = "${about}"
[policies.controls]
find = "self"
list = "${scope}"
look = "${scope}"
send = "${scope}"
`;

export const policiesText =
  (): string => `# Who may do what. A member or a person without a policy has the default one.
${SCOPES}format-version = 1
default = "member"
${policyText('member', 'sees, and writes to, its own bundle', 'all:home')}${policyText(
  'lead',
  'sees, and writes to, every bundle',
  'all:all',
)}`;

export const operatorsText = (bundle: string): string => `# People who write messages.
default-bundle = "${bundle}"
default-session = "me"

[[sessions]]
id = "me"
policy = "lead"
`;

/** `directory`: an absolute path. */
export const bundleText = (
  directory: string,
  members: readonly StarterMember[],
): string => `# A team: agtmux bundle up starts every member in a tmux session of its own.
format-version = 1
# autostart = true      # agtmux bundle up --autostart starts it too
# groups = ["web"]      # agtmux bundle up --group web
# target = "vm1"        # a machine of agtmux target list
# server = "user"       # your usual tmux server, in place of one for this bundle alone

# [restart]             # a member whose program has ended is started again
# when = "on-failure"   # or "always", "never"
# attempts = 5
# backoff-ms = 1000     # doubles each time
${members
  .map(
    ({ id, coder }) => `
[[sessions]]
id = "${id}"
directory = ${JSON.stringify(directory)}
coder = "${coder}"
`,
  )
  .join('')}`;
