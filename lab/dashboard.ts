// `npm run lab:dashboard`: a real Claude Code, handled from the dashboard in a real Chromium, on a
// desk and on a phone. What counts is what the fake model received and what ran, beside what the
// page shows. Pictures of each step are kept in a folder that is printed at the end.
//   --size desk,phone

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator } from 'playwright-core';
import { pushContent } from '../src/notify/push/push-content.ts';
import {
  DashboardBrowser,
  desk,
  launchChromium,
  ONE_PIXEL,
  phone,
  type Visit,
} from '../tests/browser/dashboard-browser.ts';
import { pusher, shown } from '../tests/browser/push-messages.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import { item, notification } from '../tests/notify/notification-fixture.ts';
import { questionFor } from './acting-answers.ts';
import { builtFile, done, openApproval, openTool, type Trial, untilState } from './acting-trial.ts';
import { recipes } from './agents/all.ts';
import { Drive, streaming } from './drive.ts';
import { EffectTimes } from './effect.ts';
import { ensureInstalled } from './install.ts';
import { closeAllStages, Stage } from './stage.ts';

const { values: flags } = parseArgs({
  options: { size: { type: 'string', default: 'desk,phone' } },
});

const SHOWN_MS = 30_000;
/** The fonts and the terminal of a page take a moment to be drawn. */
const DRAWN_MS = 700;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

interface Scene {
  readonly trial: Trial;
  readonly dashboard: DashboardBrowser;
  readonly visit: Visit;
  readonly session: string;
  readonly size: typeof desk | typeof phone;
}

type Step = (scene: Scene) => Promise<void>;

const rowOf = ({ visit, session }: Scene): Locator =>
  visit.page.locator('pane-row').filter({ hasText: session });

const press = ({ size }: Scene, what: Locator): Promise<void> =>
  size === phone ? what.tap() : what.click();

/** Goes to the pane of the agent, by the list. */
async function openPane(scene: Scene): Promise<void> {
  await scene.visit.page.goto(`${scene.dashboard.url}/#/`);
  await press(scene, rowOf(scene));
  await scene.visit.page.locator('agtmux-terminal').waitFor();
}

async function terminalShows({ visit }: Scene, text: string): Promise<void> {
  const terminal = visit.page.locator('agtmux-terminal');
  await eventually(
    async () => {
      const screen = await terminal.evaluate((each) => Reflect.get(each, 'screenText'));
      return String(screen).includes(text);
    },
    `the terminal shows ${text}`,
    SHOWN_MS,
  );
}

const watchesStates: Step = async (scene) => {
  const { trial, visit } = scene;
  const { gate, reply } = streaming();
  const turn = trial.drive.script(reply, done);
  await openPane(scene);
  await visit.page.getByLabel('Prompt for claude').fill(turn.prompt);
  await press(scene, visit.page.getByRole('button', { name: 'Send', exact: true }));
  await turn.at(0, 'firstByteAtMs');
  await visit.page.getByText('delivered', { exact: true }).waitFor();
  await visit.page.goto(`${scene.dashboard.url}/#/`);
  await rowOf(scene).getByText('running').waitFor();
  gate.open();
  await rowOf(scene)
    .getByText(/completed|idle/)
    .waitFor();
};

const typesIntoTheTerminal: Step = async (scene) => {
  const { trial, visit } = scene;
  const turn = trial.drive.script(done);
  await untilState(trial, 'idle', 'completed');
  await openPane(scene);
  await terminalShows(scene, '❯');
  await press(scene, visit.page.locator('agtmux-terminal'));
  await visit.page.keyboard.type(turn.prompt);
  await terminalShows(scene, turn.handle.token);
  await visit.page.keyboard.press('Enter');
  await turn.at(0, 'finishedAtMs');
};

const approves: Step = async (scene) => {
  const turn = await openApproval(scene.trial);
  const { page } = scene.visit;
  await page.goto(`${scene.dashboard.url}/#/inbox`);
  const card = page.getByRole('article');
  await card.getByText('rm -rf build').first().waitFor();
  await press(scene, card.getByRole('button', { name: /Yes$/ }));
  await turn.at(1, 'finishedAtMs');
  if (existsSync(builtFile(scene.trial))) throw new Error('the command did not run');
  await page.getByText('Nothing is asked.').waitFor();
};

const answers: Step = async (scene) => {
  const args = questionFor('claude', false);
  const turn = await openTool(scene.trial, 'question', args, 'waiting_input');
  const { page } = scene.visit;
  await openPane(scene);
  const card = page.getByRole('article');
  await card.getByText('Which database should the service use?').waitFor();
  await press(scene, card.getByRole('button', { name: 'SQLite' }));
  await turn.at(1, 'finishedAtMs');
  const received = turn.handle.requests[1]?.lastMessage ?? '';
  if (!received.includes('SQLite')) throw new Error(`the model received ${received.slice(-400)}`);
};

const givesAnImage: Step = async (scene) => {
  const { trial, visit } = scene;
  const turn = trial.drive.script(done);
  await untilState(trial, 'idle', 'completed');
  await openPane(scene);
  const buffer = Buffer.from(ONE_PIXEL, 'base64');
  const image = { name: 'shot.png', mimeType: 'image/png', buffer };
  await visit.page.getByLabel('File for the agent').setInputFiles(image);
  await terminalShows(scene, '[Image #');
  await press(scene, visit.page.locator('agtmux-terminal'));
  await visit.page.keyboard.type(` ${turn.prompt}`);
  await terminalShows(scene, turn.handle.token);
  await visit.page.keyboard.press('Enter');
  await turn.at(0, 'finishedAtMs');
  const received = turn.handle.requests[0]?.lastMessage ?? '';
  if (!received.includes('"image/png"')) throw new Error(`no image in ${received.slice(0, 400)}`);
};

const regainsTheConnection: Step = async (scene) => {
  const { trial, dashboard, visit } = scene;
  const { gate, reply } = streaming();
  const turn = trial.drive.script(reply, done);
  await untilState(trial, 'idle', 'completed');
  await visit.page.goto(`${dashboard.url}/#/`);
  const { port } = new URL(dashboard.url);
  dashboard.closeService();
  await visit.page.getByText(/offline, as of/).waitFor();
  await rowOf(scene).waitFor();
  await trial.client.call('send', { ref: trial.ref, text: turn.prompt });
  await turn.at(0, 'firstByteAtMs');
  await eventually(
    async () => {
      await dashboard.openService(Number(port)).catch(() => null);
      return (await visit.page.getByText('live', { exact: true }).count()) === 1;
    },
    'it is live again',
    SHOWN_MS,
  );
  await rowOf(scene).getByText('running').waitFor();
  gate.open();
};

const opensOffline: Step = async (scene) => {
  const { page, context } = scene.visit;
  await untilState(scene.trial, 'idle', 'completed');
  await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
  await context.setOffline(true);
  await page.reload();
  await page.getByText(/offline, as of|connecting, as of/).waitFor();
  await rowOf(scene).waitFor();
  await context.setOffline(false);
  await page.getByText('live', { exact: true }).waitFor();
};

const isNotified: Step = async (scene) => {
  const { trial, dashboard, visit } = scene;
  const push = await pusher(visit, dashboard.url);
  await openApproval(trial);
  const { requests } = await trial.client.call('list_requests', { ref: trial.ref });
  const [request] = requests;
  if (!request) throw new Error('no request is listed');
  const { pane, detail } = request;
  const about = item({ paneKey: pane.pane_key, ref: pane.ref, request: detail?.command ?? '' });
  await push(pushContent(notification([about]), 1).text);
  await eventually(async () => (await shown(visit.page)).length === 1, 'the push is shown');
  const [first] = await shown(visit.page);
  await visit.page.goto(`${dashboard.url}/${first?.hash}`);
  await press(scene, visit.page.getByRole('article').getByRole('button', { name: /No/ }).first());
  await untilState(trial, 'idle', 'completed');
  if (!existsSync(builtFile(trial))) throw new Error('the command ran');
};

const steps: readonly (readonly [string, Step])[] = [
  ['watches states change', watchesStates],
  ['types into the terminal', typesIntoTheTerminal],
  ['approves a request', approves],
  ['answers a question', answers],
  ['gives an image', givesAnImage],
  ['loses and regains the connection', regainsTheConnection],
  ['opens offline', opensOffline],
  ['is pushed a request, and denies it', isNotified],
];

async function play(stage: Stage, size: typeof desk | typeof phone, name: string, folder: string) {
  const session = `web-${name}`;
  const pane = await stage.openPane(session);
  const mismatches = mkdtempSync(join(tmpdir(), 'agtmux-lab-wrong-'));
  const drive = new Drive(stage, pane, { scenario: 'dashboard', mismatches });
  await drive.start();
  const client = await stage.live.client(SHOWN_MS * 2);
  const trial = {
    ...{ drive, client, ref: pane.paneId, isServed: false, effects: new EffectTimes() },
  };
  await using dashboard = new DashboardBrowser(stage.live, await launchChromium());
  await dashboard.openService(0);
  const visit = await dashboard.visit('#/', size);
  const scene: Scene = { trial, dashboard, visit, session, size };
  const failures: string[] = [];
  for (const [index, [title, step]] of steps.entries()) {
    const problem = await step(scene).then(
      () => null,
      (error: unknown) => `${error instanceof Error ? error.message : error}`,
    );
    say(`${name}: ${title}: ${problem ?? 'right'}`);
    if (problem !== null) failures.push(`${name}: ${title}`);
    await visit.page.waitForTimeout(DRAWN_MS);
    await visit.page.screenshot({ path: join(folder, `${name}-${index + 1}.png`) });
  }
  // A connection that is cut on purpose is an error in the console of a browser.
  const errors = visit.errors.filter((each) => !/ERR_|WebSocket|Failed to load/.test(each));
  for (const error of errors) failures.push(`${name}: an error in the page: ${error}`);
  client.close();
  return failures;
}

async function run(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-lab-dashboard-'));
  const recipe = recipes.find(({ name }) => name === 'claude');
  if (!recipe) throw new Error('there is no recipe for claude');
  const install = await ensureInstalled(recipe);
  const failures: string[] = [];
  for (const name of flags.size.split(',')) {
    await using stage = await Stage.open({ recipe, install, mode: 'without hooks' });
    failures.push(...(await play(stage, name === 'phone' ? phone : desk, name, folder)));
  }
  say(`pictures: ${folder}`);
  return failures;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAllStages().finally(() => process.exit(1)));
}
const failures = await run();
for (const failure of failures) say(`WRONG: ${failure}`);
say(failures.length === 0 ? 'all right' : 'failed');
process.exitCode = failures.length === 0 ? 0 : 1;
