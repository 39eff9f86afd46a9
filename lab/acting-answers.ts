// Trials of answers that are more than one key: a reason, a text of one's own, several options.
// What counts is what the fake model received of them.

import { existsSync } from 'node:fs';
import { answerRequest, builtFile, type Check, openApproval, openTool } from './acting-trial.ts';

const REASON = 'use the copy in staging';
const QUESTION = 'Which database should the service use?';
const OWN = 'MariaDB 11, please';

/** Agents whose dialogs take no reason get it as the next prompt. */
const takesReason: readonly string[] = ['claude', 'copilot', 'kilo'];

export const checkReason: Check = async (trial) => {
  const { drive } = trial;
  const isInDialog = trial.isServed || takesReason.includes(drive.recipe.name);
  const turn = await openApproval(trial);
  const text = isInDialog ? REASON : `${turn.handle.token} ${REASON}`;
  const as_prompt = isInDialog ? {} : { as_prompt: true };
  const problem = await answerRequest(trial, { role: 'deny', text, ...as_prompt });
  if (problem !== null) return problem;
  await turn.at(1, 'finishedAtMs');
  if (!existsSync(builtFile(trial))) return 'the command ran';
  const received = turn.handle.requests[1]?.lastMessage ?? '';
  return received.includes(REASON) ? null : `the model received ${received.slice(-400)}`;
};

const labels = (count: number): readonly string[] =>
  ['PostgreSQL', 'SQLite', 'Redis'].slice(0, count);

/** A question in the words of each agent's tool. */
export function questionFor(agent: string, isSeveral: boolean): Readonly<Record<string, unknown>> {
  const question = QUESTION;
  const given = labels(isSeveral ? 3 : 2);
  if (agent === 'copilot') {
    const one = { type: 'string', title: 'Database', enum: given };
    const many = { type: 'array', title: 'Database', items: { type: 'string', enum: given } };
    const properties = { database: isSeveral ? many : one };
    const requestedSchema = { type: 'object', properties, required: ['database'] };
    return { message: question, requestedSchema };
  }
  const options = given.map((label) => ({ label, description: `Take ${label}` }));
  const several = { multiSelect: isSeveral, multiple: isSeveral };
  const asked = { id: 'database', question, header: 'Database', type: 'choice', options };
  return { questions: [{ ...asked, ...(agent === 'codex' ? {} : several) }] };
}

export const checkOwnAnswer: Check = async (trial) => {
  const args = questionFor(trial.drive.recipe.name, false);
  const turn = await openTool(trial, 'question', args, 'waiting_input');
  const problem = await answerRequest(trial, { role: 'own_answer', text: OWN });
  if (problem !== null) return problem;
  await turn.at(1, 'finishedAtMs');
  const received = turn.handle.requests[1]?.lastMessage ?? '';
  return received.includes(OWN) ? null : `the model received ${received.slice(-400)}`;
};

export const checkSeveral: Check = async (trial, index) => {
  const { name } = trial.drive.recipe;
  // Codex takes one answer to each question.
  if (name === 'codex') return null;
  const turn = await openTool(trial, 'question', questionFor(name, true), 'waiting_input');
  const wanted = index % 2 === 0 ? ['PostgreSQL', 'Redis'] : ['SQLite', 'Redis'];
  const problem = await answerRequest(trial, { labels: wanted });
  if (problem !== null) return problem;
  await turn.at(1, 'finishedAtMs');
  const received = turn.handle.requests[1]?.lastMessage ?? '';
  // One message may hold the results of earlier calls too.
  const answer = received.slice(Math.max(0, received.lastIndexOf(QUESTION)));
  const isRight = labels(3).every((label) => answer.includes(label) === wanted.includes(label));
  return isRight ? null : `wanted ${wanted.join(', ')}; the model received ${received.slice(-400)}`;
};
