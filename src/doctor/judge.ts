// What the facts mean: for each thing that agtmux stands on, whether it is well, and what to do
// where it is not. Pure.

import type { CheckItem as Check } from '../schema/api/doctor.ts';
import { counted } from '../text/counted.ts';
import { hasAttachFault } from '../tmux/quiet-gate.ts';
import type { Facts, FileFact, MachineFacts } from './facts.ts';

const NODE_MIN: readonly [number, number] = [22, 18];
const TMUX_MIN: readonly [number, number] = [3, 2];
/** Versions for which a test proves that a stopped reader does not freeze the watched panes. */
const tapProven: readonly string[] = ['3.3a'];
const FREE_BYTES_WARN = 200_000_000;
const FREE_BYTES_FAIL = 20_000_000;
/** With less no daemon starts: cli/state-folder.ts. */
const FREE_BYTES_START = 65_536;
const STORE_BYTES_WARN = 1_000_000_000;
const MEMORY_BYTES_WARN = 250_000_000;

const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail, fix: null });
const note = (name: string, detail: string, fix: string | null = null): Check => ({
  name,
  status: 'note',
  detail,
  fix,
});
const warn = (name: string, detail: string, fix: string): Check => ({
  name,
  status: 'warn',
  detail,
  fix,
});
const fail = (name: string, detail: string, fix: string): Check => ({
  name,
  status: 'fail',
  detail,
  fix,
});

/** Every check, in the order in which things depend on each other. */
export function judge(facts: Facts): readonly Check[] {
  const { machine } = facts;
  return [
    node(machine),
    tmux(machine),
    taps(machine),
    attach(machine),
    daemon(facts),
    ...servers(facts),
    ...targets(facts),
    ...places(facts),
    config(machine),
    ...store(facts),
    spool(machine),
    emitter(machine),
    hooks(machine),
    ...(facts.daemon === null ? [] : daemonChecks(facts, facts.daemon)),
    ...(facts.terminal === null ? [] : terminalChecks(facts.terminal)),
  ];
}

/** Whether something needs a person. */
export const hasFindings = (checks: readonly Check[]): boolean =>
  checks.some(({ status }) => status === 'warn' || status === 'fail');

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, a = '0', b = '0'] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
}

function node({ nodeVersion }: MachineFacts): Check {
  if (isAtLeast(nodeVersion, NODE_MIN)) return ok('node', nodeVersion);
  return fail('node', `${nodeVersion} is too old`, 'Install Node 22.18 or newer.');
}

function tmux({ tmuxVersion }: MachineFacts): Check {
  const fix = 'Install tmux 3.2 or newer.';
  if (tmuxVersion === null) return fail('tmux', 'no tmux was found', fix);
  if (!isAtLeast(tmuxVersion, TMUX_MIN)) return fail('tmux', `${tmuxVersion} is too old`, fix);
  return ok('tmux', tmuxVersion);
}

function taps({ tmuxVersion, config: { tap, attach: policy } }: MachineFacts): Check {
  if (tap !== 'agents') return note('taps', `the configuration says tap = "${tap}"`);
  const version = tmuxVersion ?? '';
  if (policy === 'when_safe' && hasAttachFault(version)) {
    const detail = `none on tmux ${version || '(none)'}: no OSC signal and no bell is read`;
    return note('taps', detail, newerFix);
  }
  if (tapProven.includes(version))
    return ok('taps', `tested on tmux ${version}: a stopped daemon does not freeze panes`);
  const detail = `guarded, but not tested on tmux ${version || '(none)'}`;
  return note('taps', detail, 'To switch taps off, set tap = "never" under [tmux].');
}

const newerFix = 'Install tmux 3.8 or newer.';

/** Every program with a control client has this trouble; only a newer tmux is without it. */
function attach({ tmuxVersion, config: { attach: policy } }: MachineFacts): Check {
  const version = tmuxVersion ?? '(none)';
  if (!hasAttachFault(version))
    return ok('attach', `tmux ${version} can be attached to at any time`);
  const fault = `tmux ${version} may crash because of a control client`;
  if (policy === 'when_safe') {
    const detail = `${fault}, so agtmux attaches none and watches by plain commands`;
    return note('attach', detail, newerFix);
  }
  const detail =
    `${fault}, and the configuration says attach = "always". agtmux attaches when sessions do not` +
    ' come and go; tmux may still crash when all windows of a session end at the same moment';
  return warn('attach', detail, `Remove attach = "always" under [tmux]. Or: ${newerFix}`);
}

function daemon({ daemon: report, daemonProblem, ourVersion, nowMs, machine }: Facts): Check {
  if (report === null && daemonProblem !== '') {
    return warn('daemon', `it does not report: ${daemonProblem}`, 'See agtmux daemon status.');
  }
  const obstacle = startObstacle(machine);
  if (report === null && obstacle !== null) {
    return fail('daemon', `it does not run and cannot start: ${obstacle.why}`, obstacle.fix);
  }
  if (report === null) {
    const fix = 'It starts with the next command, or: agtmux daemon start';
    // A daemon that was stopped removes its socket; one that was killed or hangs does not.
    return machine.socket.exists
      ? warn('daemon', `none answers at ${machine.socket.path}`, fix)
      : note('daemon', 'it does not run', fix);
  }
  const { version, pid, started_at } = report.info;
  const detail = `${version}, pid ${pid}, up ${timeSince(Date.parse(started_at), nowMs)}`;
  if (version === ourVersion) return ok('daemon', detail);
  return warn(
    'daemon',
    `${detail}, and this is ${ourVersion}`,
    'Run agtmux daemon start to replace it.',
  );
}

const freeFix = 'Free some space; without it agtmux stores nothing new.';
const unwritableFix =
  'Check the owner and mode of the folder and how its disk is mounted, or set XDG_STATE_HOME.';

/** Why the next command starts no daemon. */
function startObstacle({ stateFolder, freeBytes }: MachineFacts) {
  const { path, problem } = stateFolder;
  if (problem !== null) {
    return { why: `${path} cannot be written to: ${problem}`, fix: unwritableFix };
  }
  const isFull = freeBytes !== null && freeBytes < FREE_BYTES_START;
  return isFull ? { why: `the disk of ${path} is full`, fix: freeFix } : null;
}

const quietFix = 'It attaches when the server is quiet; tmux 3.8 or newer needs no waiting.';
const leftFix =
  'Turn destroy-unattached off in one session; until then it is polled by a process every 2 s.';

function servers({ machine, daemon: report }: Facts): readonly Check[] {
  if (report !== null) {
    return report.info.servers.map(({ target, server, status, detail, panes, taps: open }) => {
      const name = `tmux server ${target} ${server}`;
      const why = detail === null ? '' : `: ${detail}`;
      if (status === 'connected')
        return ok(name, `${counted(panes, 'pane')}, ${counted(open, 'tap')}${why}`);
      if (status === 'degraded') {
        const isLeft = detail?.includes('destroy-unattached') ?? true;
        return warn(name, `degraded${why}`, isLeft ? leftFix : quietFix);
      }
      return note(name, `${status}${why}`);
    });
  }
  return machine.servers.map(({ socketPath, listens, detail, sessions, endsWhenLeft }) => {
    const name = `tmux server local ${socketPath}`;
    if (!listens) return note(name, `no server: ${detail}`);
    if (endsWhenLeft) return warn(name, 'every session has destroy-unattached', leftFix);
    return ok(name, counted(sessions, 'session'));
  });
}

/** Other machines; the other checks are about this one. */
function targets({ daemon: report, nowMs }: Facts): readonly Check[] {
  const others = report?.targets.filter(({ kind }) => kind === 'ssh') ?? [];
  return others.map(({ name: target, connection_ref, health, detail, last_seen_at }) => {
    const name = `target ${target}`;
    const seen = last_seen_at === null ? null : timeSince(Date.parse(last_seen_at), nowMs);
    const answered = seen === null ? 'it has not answered yet' : `it answered ${seen} ago`;
    const how = `${health} by ssh ${connection_ref ?? target}, ${answered}`;
    if (health === 'ok') return ok(name, how);
    const why = detail === null ? '' : `: ${detail}`;
    return warn(name, `${how}${why}`, `Fix that, then run agtmux target connect ${target}.`);
  });
}

function places({ machine, daemon: report }: Facts): readonly Check[] {
  const { socketFolder, socket } = machine;
  const folder = socketFolder.exists ? [privacy('socket folder', socketFolder, 0o700)] : [];
  const file = report !== null && socket.exists ? [privacy('socket', socket, 0o600)] : [];
  return [...folder, ...file, ...stateFolder(machine)];
}

function stateFolder({ stateFolder: { path, exists, mode, isOurs, ...found } }: MachineFacts) {
  const name = 'state folder';
  if (found.problem !== null) {
    return [fail(name, `${path} cannot be written to: ${found.problem}`, unwritableFix)];
  }
  if (!exists) return [];
  const fix = `Run chmod -R go= ${path}`;
  const octal = mode.toString(8).padStart(3, '0');
  if (!isOurs) return [fail(name, `${path} belongs to another user`, 'Set XDG_STATE_HOME.')];
  if ((mode & 0o077) !== 0) return [fail(name, `${path} has mode ${octal}`, fix)];
  const [first, ...others] = found.openFiles;
  if (first === undefined) return [ok(name, `${path}, mode ${octal}`)];
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return [fail(name, `others have rights to ${first}${more} in ${path}`, fix)];
}

function privacy(name: string, { path, mode, isOurs }: FileFact, wanted: number): Check {
  const octal = mode.toString(8).padStart(3, '0');
  const fix = `chmod ${wanted.toString(8)} it, or choose another with -s.`;
  if (!isOurs) return fail(name, `${path} belongs to another user`, fix);
  if ((mode & 0o077) !== 0) return fail(name, `${path} has mode ${octal}`, fix);
  return ok(name, `${path}, mode ${octal}`);
}

function config({ config: { path, exists, problems, openPaths } }: MachineFacts): Check {
  const [open] = openPaths;
  if (open !== undefined) {
    return fail('configuration', `everybody may write to ${open}`, `Run chmod o-w ${open}`);
  }
  if (problems.length > 0) {
    const [first = ''] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    return fail('configuration', `${path}: ${first}${more}`, 'See agtmux config check.');
  }
  return ok('configuration', exists ? path : `no file at ${path}; defaults are used`);
}

const megabytes = (bytes: number): string =>
  bytes >= 1_000_000_000
    ? `${(bytes / 1_000_000_000).toFixed(1)} GB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** `40 s`, `12 min`, `5 h`, `3 d`. */
function timeSince(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} d`;
}

function store({ machine, daemon: report, nowMs }: Facts): readonly Check[] {
  const { database, freeBytes } = machine;
  const snapshotMs = report?.lastSnapshotAtMs ?? null;
  const age = snapshotMs === null ? '' : `, last snapshot ${timeSince(snapshotMs, nowMs)} ago`;
  const size = database.bytes === null ? 'not created yet' : megabytes(database.bytes);
  const detail = `${database.path}: ${size}${age}`;
  const isLarge = (database.bytes ?? 0) > STORE_BYTES_WARN;
  const fix = 'Lower event_days and payload_days under [retention].';
  const checks = [isLarge ? warn('store', detail, fix) : ok('store', detail)];
  // More space is no remedy for a disk that takes nothing.
  const isRead = freeBytes !== null && machine.stateFolder.problem === null;
  return isRead ? [...checks, disk(freeBytes)] : checks;
}

function disk(freeBytes: number): Check {
  const detail = `${megabytes(freeBytes)} free`;
  if (freeBytes < FREE_BYTES_FAIL) return fail('disk', detail, freeFix);
  return freeBytes < FREE_BYTES_WARN ? warn('disk', detail, freeFix) : ok('disk', detail);
}

function spool({ spool: { path, exists, mode, isOurs, waiting, refused } }: MachineFacts): Check {
  if (!exists) return ok('spool', `${path} does not exist yet`);
  if (!isOurs || (mode & 0o022) !== 0) {
    return fail('spool', `others may write to ${path}`, `Run chmod 700 ${path}.`);
  }
  const detail = `${path}: ${waiting} waiting, ${refused} refused`;
  if (refused === 0) return ok('spool', detail);
  return warn('spool', detail, `Check ${path}/refused, then empty it.`);
}

/** Hooks are optional, so their absence is no finding. */
function hooks({ hooks: agents }: MachineFacts): Check {
  const lacking = agents.filter(({ state }) => state !== 'installed');
  if (agents.length === 0) return ok('hooks', 'the home folder has no settings of an agent');
  if (lacking.length === 0) return ok('hooks', agents.map(({ agent }) => agent).join(', '));
  const names = lacking
    .map(({ agent, state }) => (state === 'absent' ? agent : `${agent} (${state})`))
    .join(', ');
  return note(
    'hooks',
    `missing for ${names}`,
    'Hooks are the most exact source. Run agtmux hooks install.',
  );
}

function emitter({ emitter: { path, isRunnable } }: MachineFacts): Check {
  if (isRunnable) return ok('emitter', path);
  return fail('emitter', `${path} cannot be run`, 'Install agtmux again.');
}

function daemonChecks(
  { machine }: Facts,
  { sources, adapters, alerts, cost }: NonNullable<Facts['daemon']>,
): readonly Check[] {
  // As in `agtmux status`: what is stale comes back by itself, and a warning is no failure.
  const silent = sources.filter(({ status }) => status === 'down');
  const off = adapters.adapters.filter(({ enabled }) => !enabled).map(({ agent }) => agent);
  const open = alerts.filter(({ resolved_at }) => resolved_at === null);
  const serious = open.filter(({ level }) => level !== 'warn');
  const [firstAlert] = [...serious, ...open];
  const alertText = `${open.length} open: ${firstAlert?.code}`;
  const [firstRule] = adapters.problems;
  // `generic` serves every agent without an adapter of its own; it is not counted as an agent.
  const known = adapters.adapters.filter(({ agent }) => agent !== 'generic');
  const agents = `${known.filter(({ enabled }) => enabled).length} agents`;
  return [
    silent.length === 0
      ? ok('sources', `${sources.length}, none is down`)
      : warn(
          'sources',
          silent.map(({ channel, status }) => `${channel} is ${status}`).join(', '),
          'See agtmux status.',
        ),
    firstRule === undefined
      ? ok('adapters', off.length === 0 ? agents : `${agents}; off: ${off.join(', ')}`)
      : warn('adapters', `${firstRule.file}: ${firstRule.problem}`, 'Fix the rule file.'),
    firstAlert === undefined
      ? ok('alerts', 'none')
      : (serious.length > 0 ? warn : note)('alerts', alertText, 'See agtmux alerts.'),
    costCheck(cost, machine.config.cpuPercentMax),
  ];
}

type Cost = NonNullable<Facts['daemon']>['cost'];

function costCheck(cost: Cost, cpuPercentMax: number): Check {
  const { daemonCpuPercent: cpu, daemonBytes: bytes, clientsCpuPercent, clientsBytes } = cost;
  const percent = (share: number | null): string =>
    share === null ? 'not measured yet' : `${share.toFixed(2)} %`;
  const figures = [
    `daemon ${cpu === null ? 'not measured yet' : `${percent(cpu)} of a core over a minute`}, ` +
      megabytes(bytes ?? 0),
    ...(cost.clients === null
      ? []
      : [
          `${counted(cost.clients, 'client')} ${percent(clientsCpuPercent)}, ` +
            megabytes(clientsBytes ?? 0),
        ]),
    ...(cost.processesStarted === null ? [] : [`processes started: ${cost.processesStarted}`]),
    ...(cost.eventsPerMinute === null ? [] : [`events per minute: ${cost.eventsPerMinute}`]),
  ].join('; ');
  const isHigh = (cpu ?? 0) > cpuPercentMax || (bytes ?? 0) > MEMORY_BYTES_WARN;
  if (!isHigh) return ok('cost', figures);
  return warn('cost', figures, 'See agtmux metrics for what it is doing.');
}

function terminalChecks({ term, utf8 }: NonNullable<Facts['terminal']>): readonly Check[] {
  const fix = 'Set LANG to a UTF-8 locale.';
  return [
    utf8 ? ok('locale', 'UTF-8') : note('locale', 'not UTF-8, so ASCII is printed', fix),
    term !== '' && term !== 'dumb'
      ? ok('terminal', term)
      : note('terminal', `TERM is ${term || 'not set'}: no colours, no full screen`),
  ];
}
