// The one table of commands: a name, and the file that holds the command. A command is loaded when
// its name is typed; top-level help, completion and the reference page load all of them.

import { isSet, type Program, type RunCommand } from './command.ts';
import { globalOptions } from './options.ts';

/** `agtmux` alone: the live view where it can be shown, else the table of panes. */
const runBare: RunCommand = async (call) => {
  if (call.io.isTerminal && !isSet(call.flags, 'json')) {
    const { canShowTui, runTuiCommand } = await import('./commands/panes/tui.ts');
    if (canShowTui(call)) return runTuiCommand(call);
  }
  return (await import('./commands/panes/list.ts')).runListPanes(call);
};

export const program: Program = {
  name: 'agtmux',
  summary: 'Tells what every AI coding agent in your tmux panes is doing.',
  options: globalOptions,
  examples: [
    'agtmux',
    'agtmux list --needs-action',
    'agtmux explain work:0.1',
    'agtmux hooks install',
  ],
  run: runBare,
  lazyCommands: {
    list: () => import('./commands/panes/list.ts').then((file) => file.listCommand),
    tui: () => import('./commands/panes/tui.ts').then((file) => file.tuiCommand),
    sidebar: () => import('./commands/panes/sidebar.ts').then((file) => file.sidebarCommand),
    watch: () => import('./commands/panes/watch.ts').then((file) => file.watchCommand),
    status: () => import('./commands/panes/status.ts').then((file) => file.statusCommand),
    'tmux-status': () =>
      import('./commands/panes/tmux-status.ts').then((file) => file.tmuxStatusCommand),
    hud: () => import('./commands/overview/hud.ts').then((file) => file.hudCommand),
    menubar: () => import('./commands/overview/menubar.ts').then((file) => file.menubarCommand),
    explain: () => import('./commands/panes/explain.ts').then((file) => file.explainCommand),
    history: () => import('./commands/panes/history.ts').then((file) => file.historyCommand),
    log: () => import('./commands/panes/log.ts').then((file) => file.logCommand),
    send: () => import('./commands/actions/send.ts').then((file) => file.sendCommand),
    deliveries: () =>
      import('./commands/actions/deliveries.ts').then((file) => file.deliveriesCommand),
    msg: () => import('./commands/messages/msg.ts').then((file) => file.msgCommand),
    look: () => import('./commands/messages/msg-raw.ts').then((file) => file.lookCommand),
    approve: () => import('./commands/actions/answer.ts').then((file) => file.approveCommand),
    deny: () => import('./commands/actions/answer.ts').then((file) => file.denyCommand),
    answer: () => import('./commands/actions/answer.ts').then((file) => file.answerCommand),
    rule: () => import('./commands/rules/rule.ts').then((file) => file.ruleCommand),
    wait: () => import('./commands/actions/wait.ts').then((file) => file.waitCommand),
    attach: () => import('./commands/actions/attach.ts').then((file) => file.attachCommandSpec),
    next: () => import('./commands/actions/attach.ts').then((file) => file.nextCommand),
    'view-output': () =>
      import('./commands/actions/view-output.ts').then((file) => file.viewOutputCommand),
    interrupt: () =>
      import('./commands/actions/interrupt.ts').then((file) => file.interruptCommand),
    kill: () => import('./commands/actions/kill.ts').then((file) => file.killCommand),
    resume: () => import('./commands/actions/resume.ts').then((file) => file.resumeCommand),
    spawn: () => import('./commands/teams/spawn.ts').then((file) => file.spawnCommand),
    stop: () => import('./commands/teams/stop.ts').then((file) => file.stopCommand),
    bundle: () => import('./commands/teams/bundle.ts').then((file) => file.bundleCommand),
    notify: () => import('./commands/notify/notify.ts').then((file) => file.notifyCommand),
    acp: () => import('./commands/acp/acp.ts').then((file) => file.acpCommand),
    mcp: () => import('./commands/mcp/mcp.ts').then((file) => file.mcpCommand),
    share: () => import('./commands/web/share.ts').then((file) => file.shareCommand),
    web: () => import('./commands/web/web.ts').then((file) => file.webCommand),
    alerts: () => import('./commands/setup/alerts.ts').then((file) => file.alertsCommand),
    adapter: () => import('./commands/setup/adapter.ts').then((file) => file.adapterCommand),
    emit: () => import('./commands/panes/emit.ts').then((file) => file.emitCommand),
    run: () => import('./commands/panes/run.ts').then((file) => file.runCommand),
    snooze: () => import('./commands/actions/snooze.ts').then((file) => file.snoozeCommand),
    unsnooze: () => import('./commands/actions/snooze.ts').then((file) => file.unsnoozeCommand),
    tag: () => import('./commands/actions/tag.ts').then((file) => file.tagCommand),
    name: () => import('./commands/actions/name.ts').then((file) => file.nameCommand),
    target: () => import('./commands/setup/target.ts').then((file) => file.targetCommand),
    config: () => import('./commands/setup/config.ts').then((file) => file.configCommand),
    daemon: () => import('./commands/setup/daemon.ts').then((file) => file.daemonCommand),
    metrics: () => import('./commands/setup/metrics.ts').then((file) => file.metricsCommand),
    classify: () => import('./commands/panes/classify.ts').then((file) => file.classifyCommand),
    demo: () => import('./commands/setup/demo.ts').then((file) => file.demoCommand),
    doctor: () => import('./commands/setup/doctor.ts').then((file) => file.doctorCommand),
    hooks: () => import('./commands/setup/hooks.ts').then((file) => file.hooksCommand),
    record: () => import('./commands/panes/record.ts').then((file) => file.recordCommand),
    uninstall: () => import('./commands/setup/uninstall.ts').then((file) => file.uninstallCommand),
    completion: () =>
      import('./commands/setup/completion.ts').then((file) => file.completionCommand),
  },
  aliases: {
    'list-panes': ['list', 'panes'],
    'list-windows': ['list', 'windows'],
    'list-sessions': ['list', 'sessions'],
    defer: ['snooze'],
  },
};
