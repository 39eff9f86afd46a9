// The agents that the lab can run.

import type { AgentRecipe } from '../agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { kilo } from './kilo.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

export const recipes: readonly AgentRecipe[] = [
  claude,
  codex,
  gemini,
  copilot,
  opencode,
  qwen,
  kilo,
  pi,
];
