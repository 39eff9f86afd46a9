// The files in an agent's folders that belong to agtmux alone: a plugin, an extension, a hook file,
// a script. Its first lines say that it belongs to agtmux, which is also how it is recognised.

import { callLine } from './entry-command.ts';

/** In the first lines of every file that agtmux writes. */
const OWN_MARK = 'made by agtmux hooks install';

/** Whether agtmux wrote the file, in any version. */
export const isOwnText = (text: string): boolean => text.slice(0, 500).includes(OWN_MARK);

const copilotEvents = [
  ...['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse', 'postToolUseFailure'],
  ...['notification', 'errorOccurred', 'agentStop', 'sessionEnd'],
];

/** Copilot's payloads lack the name of the event, so the command line has it. */
export function copilotFile(emitter: string): string {
  const hooks = Object.fromEntries(
    copilotEvents.map((event) => {
      const bash = callLine(emitter, { source: 'copilot-hooks', agent: 'copilot', event });
      return [event, [{ type: 'command', bash, timeoutSec: 10 }]];
    }),
  );
  const content = { description: OWN_MARK, version: 1, hooks };
  return `${JSON.stringify(content, null, 2)}\n`;
}

export function clineScript(emitter: string, event: string): string {
  const call = { source: 'cline-hooks', agent: 'cline', event, isShared: true };
  const about = `# ${OWN_MARK}; agtmux hooks uninstall removes it.`;
  return `#!/bin/sh\n${about}\nexec ${callLine(emitter, call)}\n`;
}

/** Shared by plugin and extension: one emitter at a time keeps order, overflow is counted. */
const runner = (emitter: string, agent: string, source: string): string =>
  `import { spawn } from "node:child_process";

const emitter = ${JSON.stringify(emitter)};
const words = ["--source", ${JSON.stringify(source)}, "--agent", ${JSON.stringify(agent)}];
const WAITING_MAX = 500;
const TEXT_MAX = 4000;
const EMITTER_MS = 5000;

let waiting = [];
let dropped = 0;
let isRunning = false;

const cut = (_key, value) =>
  typeof value === "string" && value.length > TEXT_MAX ? value.slice(0, TEXT_MAX) : value;

function tell(event, payload) {
  try {
    const text = JSON.stringify(payload ?? {}, cut);
    if (waiting.length >= WAITING_MAX) dropped += 1;
    else waiting.push([event, text]);
    if (!isRunning) next();
  } catch {}
}

function next() {
  if (waiting.length === 0 && dropped > 0) {
    waiting.push(["agtmux.dropped", JSON.stringify({ count: dropped })]);
    dropped = 0;
  }
  const first = waiting.shift();
  isRunning = first !== undefined;
  if (!isRunning) return;
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    next();
  };
  const timer = setTimeout(over, EMITTER_MS);
  timer.unref?.();
  try {
    const child = spawn(emitter, [...words, "--event", first[0]], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", over);
    child.on("exit", over);
    child.unref();
    child.stdin.on("error", () => {});
    child.stdin.end(first[1]);
  } catch {
    over();
  }
}
`;

const head = (agent: string): string =>
  `// ${OWN_MARK}; agtmux hooks uninstall removes it. It tells agtmux what ${agent} is doing.\n`;

/** A plugin of opencode and Kilo: the events of their bus that say something about a state. */
export function sessionBusPlugin(emitter: string, agent: string): string {
  return `${head(agent)}${runner(emitter, agent, `${agent}-events`)}${`
const wanted = new Set([
  "session.created",
  "session.updated",
  "session.status",
  "session.idle",
  "session.error",
  "session.drain.interrupted",
  "permission.asked",
  "permission.updated",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);
const seen = new Map();

const children = new Map();

// Only the event that makes a subagent's session says whose it is.
function withParent(event) {
  const { info, sessionID } = event.properties ?? {};
  if (event.type === "session.created" && info?.parentID) {
    if (children.size > 500) children.clear();
    children.set(info.id, info.parentID);
  }
  const parentID = children.get(sessionID);
  return parentID ? { ...event, properties: { ...event.properties, parentID } } : event;
}

const isBrokenOff = (info) =>
  info?.role === "assistant" && info.time?.completed !== undefined && info.finish === undefined;

// Titles come again and again with the same text, and messages matter only when they failed.
function isNews(event) {
  const info = event.properties?.info;
  if (event.type === "message.updated") return info?.error !== undefined || isBrokenOff(info);
  if (!wanted.has(event.type)) return false;
  if (event.type !== "session.updated") return true;
  if (seen.get(info?.id) === info?.title) return false;
  if (seen.size > 100) seen.clear();
  seen.set(info?.id, info?.title);
  return true;
}

export const agtmux = async () => {
  tell("plugin.init", {});
  return {
    event: async ({ event }) => {
      if (event && isNews(event)) tell(event.type, withParent(event));
    },
    "chat.message": async (input) => {
      tell("chat.message", { sessionID: input?.sessionID });
    },
    "tool.execute.before": async (input, output) => {
      tell("tool.execute.before", { i: input, args: output?.args });
    },
    "tool.execute.after": async (input) => {
      tell("tool.execute.after", { i: input });
    },
  };
};
`}`;
}

export function piExtension(emitter: string): string {
  return `${head('pi')}${runner(emitter, 'pi', 'pi-extension')}${`
const wanted = [
  "session_start",
  "before_agent_start",
  "agent_start",
  "agent_end",
  "tool_execution_start",
  "tool_execution_end",
  "session_shutdown",
];

// Of the messages only how the last one ended is told.
function lastOf(messages) {
  const { role, stopReason, errorMessage } = (Array.isArray(messages) && messages.at(-1)) || {};
  return stopReason === undefined ? undefined : [{ role, stopReason, errorMessage }];
}

function payloadOf(type, event, context) {
  const sessionId = context?.sessionManager?.getSessionId?.();
  const { prompt, toolName, args } = event ?? {};
  const messages = lastOf(event?.messages);
  return { type, sessionId, timestamp: Date.now(), prompt, toolName, args, messages };
}

export default function agtmux(pi) {
  for (const type of wanted) {
    pi.on(type, (event, context) => {
      try {
        tell(type, payloadOf(type, event, context));
      } catch {}
    });
  }
}
`}`;
}
