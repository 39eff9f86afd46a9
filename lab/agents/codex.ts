// Codex, offline: a provider of its own, so that no sign-in comes. It runs without its shared
// daemon, which copies 436 MB into each new home.

import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import type { AgentRecipe, LabPlace } from '../agent.ts';

const machine = arch() === 'arm64' ? 'aarch64' : 'x86_64';
const system = platform() === 'darwin' ? 'apple-darwin' : 'unknown-linux-musl';
const program = join(
  `node_modules/@openai/codex-${platform()}-${arch()}`,
  `vendor/${machine}-${system}/bin/codex`,
);

function seed({ home, work, modelUrl }: LabPlace): void {
  const folder = join(home, '.codex');
  mkdirSync(folder, { recursive: true });
  const config = `model = "gpt-5.5-codex"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 2
stream_max_retries = 2
supports_websockets = false
[projects."${work}"]
trust_level = "trusted"
`;
  writeFileSync(join(folder, 'config.toml'), config);
}

export const codex: AgentRecipe = {
  name: 'codex',
  packageName: '@openai/codex',
  version: '0.166.0',
  seed,
  start: ({ install, hasHooks }) => ({
    argv: [
      join(install, program),
      '--no-daemon',
      '--enable',
      'default_mode_request_user_input',
      // Trust is a step for people; the lab has nobody to ask.
      ...(hasHooks ? ['--dangerously-bypass-hook-trust'] : []),
    ],
    env: { FAKE_KEY: 'dummy' },
  }),
  ready: /^› /m,
  shows: {
    approval: /› 1\. Yes/,
    question: /enter to submit|tab to add notes/i,
    trust: /Trust this folder|Do you trust/,
  },
  keys: {
    submit: ['Enter'],
    approve: ['y'],
    deny: ['option:No'],
    answer: ['Enter'],
    interrupt: ['Escape'],
    dismiss: ['Escape'],
    exit: ['C-c', 'C-c'],
    clear: ['/clear', 'pause', 'Enter'],
  },
  commands: { asks: 'rm -rf build && sleep 6', quiet: 'sleep 6' },
  afterDeny: 'idle/interrupted',
  afterDismiss: 'idle/interrupted',
  can: ['shell', 'edit', 'question', 'background_shell', 'clear', 'quiet_tool'],
  apiErrors: [
    { status: 400, retrying: 'running/retrying' },
    { status: 401, retrying: 'running/retrying' },
    { status: 429, retrying: 'running/retrying' },
    { status: 500, retrying: 'running/retrying' },
  ],
};
