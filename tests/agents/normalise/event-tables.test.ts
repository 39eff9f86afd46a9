// The event tables of the facts, agent by agent: what each event says, and what it leaves open. A
// dash is an event that tells what is going on and claims no state; `@` marks a request's own id.

import { describe, expect, it } from 'vitest';
import { brief, event, normalise } from './signal.ts';

type Row = readonly [name: string, payload: object, expected: string];

function table(agent: string, source: string, rows: readonly Row[]): void {
  describe(`${agent}: ${source}`, () => {
    it.each(rows)('%s %j says %s', (name, payload, expected) => {
      expect(brief(normalise(agent, source, event(name, payload)))).toBe(expected);
    });
  });
}

/** Lines of files and notifications: their name is inside. */
function lines(agent: string, source: string, rows: readonly (readonly [object, string])[]): void {
  describe(`${agent}: ${source}`, () => {
    it.each(rows)('%j says %s', (line, expected) => {
      expect(brief(normalise(agent, source, JSON.stringify(line)))).toBe(expected);
    });
  });
}

const bash = { tool_name: 'Bash', tool_input: { command: 'ls' } };
const subagent = { id: 'a1', type: 'subagent', status: 'running' };
const shell = { id: 's1', type: 'shell', status: 'running' };

table('claude', 'claude-hooks', [
  ['SessionStart', { source: 'startup' }, 'began'],
  ['SessionStart', { source: 'resume' }, 'began'],
  ['SessionStart', { source: 'clear' }, 'began'],
  ['SessionStart', { source: 'compact' }, '-'],
  ['UserPromptSubmit', { prompt: 'fix it' }, 'running'],
  ['UserPromptSubmit', { prompt: '<task-notification>done' }, 'running'],
  ['PreToolUse', bash, 'running'],
  ['PreToolUse', { ...bash, agent_id: 'a1' }, '-'],
  ['PermissionRequest', bash, 'waiting_approval'],
  ['PermissionRequest', { tool_name: 'ExitPlanMode' }, 'waiting_approval'],
  ['PermissionRequest', { tool_name: 'AskUserQuestion' }, 'waiting_input'],
  ['Notification', { notification_type: 'permission_prompt' }, 'ignored'],
  ['Notification', { notification_type: 'idle_prompt' }, 'at_rest'],
  ['Notification', { notification_type: 'auth_success' }, 'ignored'],
  ['PostToolUse', bash, 'running'],
  ['PostToolUseFailure', bash, 'running'],
  ['PostToolBatch', {}, 'running'],
  ['Stop', { background_tasks: [] }, 'completed'],
  ['Stop', {}, 'completed'],
  ['Stop', { background_tasks: [shell] }, 'completed'],
  ['Stop', { background_tasks: [shell, subagent] }, 'running/background_work'],
  ['StopFailure', { error: 'server_error' }, 'error/api_error'],
  ['StopFailure', { error: 'rate_limit' }, 'error/usage_limit'],
  ['StopFailure', { error: 'billing_error' }, 'error/usage_limit'],
  ['StopFailure', { error: 'authentication_failed' }, 'error/auth_required'],
  ['StopFailure', { last_assistant_message: "You've hit your session limit" }, 'error/usage_limit'],
  ['StopFailure', {}, 'error/api_error'],
  ['SubagentStart', {}, 'running'],
  ['SubagentStart', { agent_id: 'a1' }, '-'],
  ['PostToolUse', { ...bash, agent_id: 'a1' }, '-'],
  ['PostToolUseFailure', { ...bash, agent_id: 'a1' }, '-'],
  ['PostToolBatch', { agent_id: 'a1' }, '-'],
  ['SubagentStop', { agent_id: 'a1' }, '-'],
  ['PreCompact', { trigger: 'manual' }, 'running'],
  ['PostCompact', { trigger: 'manual' }, 'completed'],
  ['PostCompact', { trigger: 'auto' }, 'running'],
  ['MessageDisplay', { final: true }, 'ignored'],
  ['Elicitation', { mcp_server_name: 'db' }, 'waiting_input@'],
  ['ElicitationResult', { mcp_server_name: 'db' }, 'running@'],
  ['SessionEnd', { reason: 'prompt_input_exit' }, 'ended'],
  ['SessionEnd', { reason: 'clear' }, '-'],
  ['CwdChanged', {}, 'ignored'],
  ['SomethingNew', {}, 'unknown'],
]);

table('codex', 'codex-hooks', [
  ['SessionStart', { source: 'startup' }, '-'],
  ['UserPromptSubmit', { prompt: 'x' }, 'running'],
  ['PreModelRequest', {}, 'running'],
  ['PostModelRequest', { status: 'completed' }, 'running'],
  ['PostModelRequest', { status: 'failed' }, 'running/retrying'],
  ['PostModelRequest', { status: 'cancelled' }, 'ignored'],
  ['PreToolUse', bash, 'running'],
  ['PreToolUse', { tool_name: 'request_user_input' }, 'waiting_input'],
  ['PermissionRequest', bash, 'waiting_approval'],
  ['PostToolUse', bash, 'running'],
  ['Stop', {}, 'completed'],
  ['Interrupt', {}, 'interrupted'],
  ['SubagentStart', {}, 'running'],
  ['SubagentStop', {}, 'ignored'],
  ['SessionEnd', { reason: 'other' }, 'ended'],
]);

table('gemini', 'gemini-hooks', [
  ['SessionStart', { source: 'startup' }, 'began'],
  ['BeforeAgent', { prompt: 'x' }, 'running'],
  ['PreCompress', { trigger: 'auto' }, 'ignored'],
  ['BeforeTool', { tool_name: 'run_shell_command' }, '-'],
  ['Notification', { notification_type: 'ToolPermission' }, 'waiting_approval'],
  [
    'Notification',
    { notification_type: 'ToolPermission', details: { type: 'exec' } },
    'waiting_approval',
  ],
  [
    'Notification',
    { notification_type: 'ToolPermission', details: { type: 'ask_user' } },
    'waiting_input',
  ],
  ['AfterTool', {}, 'running'],
  ['AfterAgent', { prompt_response: 'Hello' }, 'completed'],
  ['AfterAgent', { prompt_response: '[no response text]' }, 'at_rest'],
  ['SessionEnd', { reason: 'exit' }, 'ended'],
]);

const copilotRows: readonly Row[] = [
  ['sessionStart', { source: 'new' }, '-'],
  ['userPromptSubmitted', { prompt: 'x' }, 'running'],
  ['preToolUse', { toolName: 'bash' }, '-'],
  ['preToolUse', { toolName: 'ask_user' }, 'waiting_input'],
  ['permissionRequest', { toolName: 'bash' }, '-'],
  ['notification', { notification_type: 'permission_prompt' }, 'waiting_approval'],
  ['notification', { notification_type: 'elicitation_dialog' }, 'waiting_input'],
  ['notification', { notification_type: 'other' }, 'ignored'],
  ['postToolUse', {}, 'running'],
  ['postToolUseFailure', {}, 'running'],
  ['errorOccurred', { recoverable: true }, 'running/retrying'],
  ['agentStop', { stopReason: 'end_turn' }, 'completed'],
  ['sessionEnd', { reason: 'user_exit' }, 'ended'],
];
table('copilot', 'copilot-hooks', copilotRows);
table(
  'copilot',
  'copilot-hooks',
  copilotRows
    .filter(([name]) => name !== 'agentStop' && name !== 'userPromptSubmitted')
    .map(([name, payload, expected]) => [
      `${name[0]?.toUpperCase()}${name.slice(1)}`,
      payload,
      expected,
    ]),
);
table('copilot', 'copilot-hooks', [
  ['Stop', { stop_reason: 'end_turn' }, 'completed'],
  ['UserPromptSubmit', { prompt: 'x' }, 'running'],
  ['PreToolUse', { tool_name: 'Bash' }, '-'],
]);

table('qwen', 'qwen-hooks', [
  ['SessionStart', {}, 'began'],
  ['UserPromptSubmit', { prompt: '' }, 'running'],
  ['PermissionRequest', { tool_name: 'run_shell_command' }, 'waiting_approval'],
  ['PermissionRequest', { tool_name: 'ask_user_question' }, 'waiting_input'],
  ['Notification', { notification_type: 'permission_prompt' }, 'ignored'],
  ['PreToolUse', { tool_name: 'run_shell_command' }, 'running'],
  ['PostToolUse', {}, 'running'],
  ['Stop', {}, 'completed'],
  ['Notification', { notification_type: 'idle_prompt' }, 'at_rest'],
  ['StopFailure', { error: 'invalid_request' }, 'error/api_error'],
  ['StopFailure', { error: 'authentication_failed' }, 'error/auth_required'],
  ['SessionEnd', { reason: 'prompt_input_exit' }, 'ended'],
]);

const status = (type: string): object => ({ properties: { status: { type } } });
const failure = (name: string, data: object = {}): object => ({
  properties: { error: { name, data } },
});

for (const agent of ['opencode', 'kilo']) {
  table(agent, `${agent}-events`, [
    ['plugin.init', {}, 'began'],
    ['session.created', { properties: { info: { title: 'New session - 2026-11-15' } } }, '-'],
    ['session.status', status('busy'), 'running'],
    ['session.status', status('retry'), 'running/retrying'],
    ['session.status', status('idle'), 'at_rest'],
    ['session.status', status('other'), 'ignored'],
    ['session.idle', {}, 'completed'],
    ['session.error', failure('MessageAbortedError'), 'interrupted'],
    ['session.error', failure('APIError', { statusCode: 500 }), 'error/api_error'],
    ['session.error', failure('APIError', { statusCode: 401 }), 'error/auth_required'],
    ['session.error', failure('APIError', { statusCode: 429 }), 'error/usage_limit'],
    ['session.error', failure('ProviderAuthError'), 'error/auth_required'],
    ['session.error', {}, 'ignored'],
    ['session.drain.interrupted', {}, 'interrupted'],
    ['permission.asked', { properties: { id: 'per_1' } }, 'waiting_approval@'],
    ['permission.replied', { properties: { requestID: 'per_1', reply: 'once' } }, 'running@'],
    ['permission.replied', { properties: { requestID: 'p', reply: 'reject' } }, 'interrupted@'],
    ['question.asked', { properties: { id: 'que_1' } }, 'waiting_input@'],
    ['question.replied', { properties: { requestID: 'que_1' } }, 'running@'],
    ['hook:chat.message', {}, 'running'],
    ['hook:tool.execute.before', { i: { tool: 'bash' } }, '-'],
    ['hook:tool.execute.after', {}, 'running'],
    ['event:message.part.delta', {}, 'ignored'],
    ['something.new', {}, 'unknown'],
  ]);
}

const agentEnd = (last: object): object => ({ messages: [{ role: 'user' }, last] });
table('pi', 'pi-extension', [
  ['session_start', {}, 'began'],
  ['input', { text: 'x' }, '-'],
  ['before_agent_start', { prompt: 'x' }, 'running'],
  ['agent_start', {}, 'running'],
  ['turn_start', {}, 'running'],
  ['tool_execution_start', { toolName: 'bash' }, 'running'],
  ['tool_call', { toolName: 'bash' }, 'running'],
  ['tool_execution_end', {}, 'running'],
  ['turn_end', {}, '-'],
  ['agent_end', agentEnd({ stopReason: 'stop' }), 'completed'],
  ['agent_end', agentEnd({ stopReason: 'aborted' }), 'interrupted'],
  [
    'agent_end',
    agentEnd({ stopReason: 'error', errorMessage: '500 Internal server error' }),
    'running/retrying',
  ],
  [
    'agent_end',
    agentEnd({ stopReason: 'error', errorMessage: '401 invalid api key' }),
    'error/auth_required',
  ],
  ['agent_end', {}, 'at_rest'],
  ['session_shutdown', {}, 'ended'],
]);

table('auggie', 'auggie-hooks', [
  ['SessionStart', {}, 'began'],
  ['PromptSubmit', { user_prompt: 'x' }, 'running'],
  ['PreToolUse', { tool_name: 'launch-process' }, '-'],
  ['PostToolUse', {}, 'running'],
  ['Stop', { agent_stop_cause: 'end_turn' }, 'completed'],
  ['Stop', { agent_stop_cause: 'interrupted' }, 'interrupted'],
  ['Stop', {}, 'at_rest'],
]);

table('cline', 'cline-hooks', [
  ['TaskStart', { hookName: 'agent_start' }, 'running'],
  ['TaskStart', { hookName: 'agent_start', parent_agent_id: 'a0' }, 'ignored'],
  ['PreToolUse', { hookName: 'tool_call', tool_call: { name: 'run_commands' } }, '-'],
  ['PostToolUse', { hookName: 'tool_result' }, 'running'],
  ['TaskComplete', { hookName: 'agent_end', turn: { status: 'completed' } }, 'completed'],
  ['TaskError', { hookName: 'agent_error', error: { message: 'bad' } }, 'error/api_error'],
  ['SessionShutdown', { hookName: 'session_shutdown' }, 'interrupted'],
]);

table('cursor', 'cursor-hooks', [
  ['beforeSubmitPrompt', { prompt: 'x' }, 'running'],
  ['beforeShellExecution', { command: 'ls' }, '-'],
  ['afterShellExecution', {}, 'running'],
  ['stop', { status: 'completed' }, 'completed'],
  ['stop', { status: 'aborted' }, 'interrupted'],
  ['stop', { status: 'error' }, 'error/api_error'],
]);

lines('codex', 'codex-exec', [
  [{ type: 'thread.started', thread_id: 't' }, '-'],
  [{ type: 'turn.started' }, 'running'],
  [{ type: 'item.started', item: { type: 'command_execution', command: 'ls' } }, 'running'],
  [{ type: 'item.completed' }, 'running'],
  [{ type: 'turn.completed', usage: { input_tokens: 5 } }, 'completed'],
  [{ type: 'error', message: 'Reconnecting... 1/5' }, 'running/retrying'],
  [{ type: 'turn.failed', error: { message: 'usage limit reached' } }, 'error/usage_limit'],
]);

const rollout = (payload: object): object => ({ type: 'event_msg', payload });
lines('codex', 'codex-rollout', [
  [rollout({ type: 'task_started' }), 'running'],
  [rollout({ type: 'task_complete' }), 'completed'],
  [rollout({ type: 'task_complete', error: { message: 'overloaded' } }), 'error/api_error'],
  [
    rollout({ type: 'task_complete', error: { codex_error_info: 'usage_limit_exceeded' } }),
    'error/usage_limit',
  ],
  [rollout({ type: 'turn_aborted', reason: 'interrupted' }), 'interrupted'],
  [rollout({ type: 'turn_aborted', reason: 'replaced' }), 'ignored'],
  [{ type: 'response_item', payload: { type: 'function_call', name: 'exec' } }, 'running'],
  [{ type: 'response_item', payload: { type: 'web_search_call' } }, 'unknown'],
]);

lines('claude', 'claude-transcript', [
  [{ type: 'user', message: { content: 'hello' } }, 'running'],
  [{ type: 'user', message: { content: '<command-name>/model</command-name>' } }, 'ignored'],
  [{ type: 'user', isMeta: true, message: { content: 'x' } }, 'ignored'],
  [{ type: 'user', isSidechain: true, message: { content: 'x' } }, 'ignored'],
  [
    {
      type: 'user',
      message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    },
    'interrupted',
  ],
  [{ type: 'user', message: { content: [{ type: 'tool_result' }] } }, 'running'],
  [{ type: 'assistant', message: { stop_reason: 'tool_use' } }, 'running'],
  [{ type: 'assistant', message: { stop_reason: 'end_turn' } }, 'ignored'],
  [{ type: 'assistant', isApiErrorMessage: true, message: { content: [] } }, 'error/api_error'],
  [{ type: 'system', subtype: 'turn_duration' }, 'completed'],
  [
    { type: 'system', subtype: 'turn_duration', pendingBackgroundAgentCount: 1 },
    'running/background_work',
  ],
  [{ type: 'system', subtype: 'compact_boundary' }, 'ignored'],
  [
    { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto' } },
    'ignored',
  ],
  [
    { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'manual' } },
    'completed',
  ],
  [{ type: 'user', isCompactSummary: true, message: { content: 'This session is' } }, 'ignored'],
  [{ type: 'queue-operation' }, 'ignored'],
  [{ type: 'new-kind' }, 'unknown'],
]);

const logged = (event: string, properties: object = {}): object => ({ event, properties });
lines('cline', 'cline-log', [
  [logged('session.started'), 'began'],
  [logged('session.input_sent'), 'running'],
  [logged('agent.run-started', { status: 'running' }), 'running'],
  [logged('agent.tool-started', { status: 'running' }), 'running'],
  [logged('agent.tool-finished', { agentRole: 'lead' }), 'running'],
  [logged('agent.run-finished', { status: 'completed' }), 'completed'],
  [logged('agent.run-finished', { status: 'completed', agentRole: 'subagent' }), 'ignored'],
  [logged('agent.run-finished', { status: 'aborted' }), 'interrupted'],
  [logged('agent.run-finished', { status: 'idle' }), 'ignored'],
  [logged('agent.run-failed', { status: 'failed' }), 'error'],
  [logged('session.aborted'), 'interrupted'],
  [logged('task.tokens'), 'unknown'],
]);

const data = (type: string, fields: object = {}): object => ({ type, data: fields });
lines('copilot', 'copilot-events', [
  [data('session.start'), 'began'],
  [data('user.message', { content: 'x' }), 'running'],
  [data('assistant.turn_start'), 'running'],
  [data('assistant.message', { toolRequests: [{ name: 'bash' }] }), 'ignored'],
  [data('assistant.message', { toolRequests: [] }), 'completed'],
  [data('assistant.turn_end'), 'at_rest'],
  [data('tool.execution_start', { toolName: 'bash' }), '-'],
  [data('tool.execution_start', { toolName: 'ask_user' }), 'waiting_input'],
  [data('permission.requested', { requestId: 'r' }), 'waiting_approval@'],
  [data('permission.completed', { requestId: 'r' }), 'running@ running'],
  [data('tool.execution_complete'), 'running'],
  [data('abort', { reason: 'user_abort' }), 'interrupted'],
  [data('session.error', { statusCode: 500 }), 'error/api_error'],
  [data('session.error', { statusCode: 401 }), 'error/auth_required'],
  [data('session.shutdown'), 'ended'],
]);

lines('codex', 'codex-notify', [
  [{ type: 'agent-turn-complete', 'input-messages': ['fix the test'] }, 'completed'],
  [
    {
      type: 'agent-turn-complete',
      'input-messages': ['Generate a concise, single-line task title of at most 36 characters'],
    },
    'ignored',
  ],
  [{ type: 'something-else' }, 'unknown'],
]);

const changed = (fields: object): object => ({
  method: 'thread/status/changed',
  params: { threadId: 't', ...fields },
});
lines('codex', 'codex-app-server', [
  [changed({ status: { type: 'idle' } }), 'at_rest'],
  [changed({ status: 'idle' }), 'at_rest'],
  [changed({ status: { type: 'active', activeFlags: [] } }), 'running'],
  [changed({ status: { type: 'active', activeFlags: ['waitingOnApproval'] } }), 'waiting_approval'],
  [changed({ status: { type: 'active', activeFlags: ['waitingOnUserInput'] } }), 'waiting_input'],
  [changed({ status: { type: 'systemError' } }), 'error/api_error'],
  [changed({ status: { type: 'notLoaded' } }), 'ignored'],
  [changed({}), 'ignored'],
  [changed({ status: { type: 'other' } }), 'unknown'],
  [{ method: 'thread/started', params: { thread: { id: 't', ephemeral: true } } }, 'ignored'],
  [{ id: 't', status: { type: 'idle' } }, 'at_rest'],
  [{ id: 't', ephemeral: true, status: { type: 'idle' } }, 'ignored'],
  [{ method: 'turn/completed', params: { turn: { status: 'completed' } } }, 'completed'],
  [{ method: 'turn/completed', params: { turn: { status: 'interrupted' } } }, 'interrupted'],
  [{ method: 'turn/completed', params: { turn: { status: 'failed' } } }, 'error/api_error'],
  [{ method: 'item/started', params: {} }, 'ignored'],
  [{}, 'unknown'],
]);
