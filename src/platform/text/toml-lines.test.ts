import { expect, it } from 'vitest';
import { lineOfTomlPath } from './toml-lines.ts';

const text = `format-version = 1

[[coders]]
id = "claude"
[coders.tmux]
initial-command = "claude"
note = """
[[coders]]
id = "not a key"
"""

[[coders]]
id = "agent"
[coders.acp]
channel = "stdio"
[[coders.acp.environment]]
name = "A"
[[coders.acp.environment]]
name = "B"
value = "b"

[engine]
stale . signal = "30s"
inline = { a = 1 }
`;

it.each([
  [['format-version'], 1],
  [['coders'], 1],
  [['coders', 0], 3],
  [['coders', 0, 'tmux', 'initial-command'], 6],
  [['coders', 1, 'id'], 13],
  [['coders', 1, 'tmux'], 12],
  [['coders', 1, 'acp', 'environment', 1, 'value'], 20],
  [['engine', 'stale', 'signal'], 23],
  [['engine', 'inline', 'a'], 24],
  [['absent', 'key'], 1],
] as const)('the path %j is on its line', (path, line) => {
  expect(lineOfTomlPath(text, path)).toBe(line);
});
