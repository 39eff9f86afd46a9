// Every command that is not run every few seconds, loaded together when one of them is: one file of
// the bundle costs a start less than many small ones, and `list` and `tmux-status` load none of it.

import type { RunCommand } from './command.ts';
import { runAdapter } from './commands/adapter.ts';
import { runAlerts } from './commands/alerts.ts';
import { runClassifyCommand } from './commands/classify.ts';
import { runCompletion } from './commands/completion.ts';
import { runConfig } from './commands/config.ts';
import { runDaemonCommand } from './commands/daemon.ts';
import { runDaemonInstall } from './commands/daemon-install.ts';
import { runDemoCommand } from './commands/demo.ts';
import { runDoctor } from './commands/doctor.ts';
import { runEmit } from './commands/emit.ts';
import { runExplain } from './commands/explain.ts';
import { runHistory } from './commands/history.ts';
import { runHooks } from './commands/hooks.ts';
import { runMetrics } from './commands/metrics.ts';
import { runRecord } from './commands/record.ts';
import { runStatus } from './commands/status.ts';
import { runTag } from './commands/tag.ts';
import { runTarget } from './commands/target.ts';
import { runTuiCommand } from './commands/tui.ts';
import { runUninstall } from './commands/uninstall.ts';
import { runWatch } from './commands/watch.ts';

// Help is in the same file for the same reason.
export { helpText } from './help.ts';

export type MoreCommand =
  | 'adapter'
  | 'alerts'
  | 'classify'
  | 'completion'
  | 'config'
  | 'daemon'
  | 'daemonInstall'
  | 'demo'
  | 'doctor'
  | 'emit'
  | 'explain'
  | 'history'
  | 'hooks'
  | 'metrics'
  | 'record'
  | 'status'
  | 'tag'
  | 'tui'
  | 'target'
  | 'uninstall'
  | 'watch';

export const moreCommands: Readonly<Record<MoreCommand, RunCommand>> = {
  adapter: runAdapter,
  alerts: runAlerts,
  classify: runClassifyCommand,
  completion: runCompletion,
  config: runConfig,
  daemon: runDaemonCommand,
  daemonInstall: runDaemonInstall,
  demo: runDemoCommand,
  doctor: runDoctor,
  emit: runEmit,
  explain: runExplain,
  history: runHistory,
  hooks: runHooks,
  metrics: runMetrics,
  record: runRecord,
  status: runStatus,
  tag: runTag,
  tui: runTuiCommand,
  target: runTarget,
  uninstall: runUninstall,
  watch: runWatch,
};
