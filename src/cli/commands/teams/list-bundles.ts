// `agtmux bundle list|status`: what is declared, and how it does.

import { renderBundleStatus, renderBundles } from '../../../render/teams/bundles.ts';
import { type Call, type CommandSpec, textOf } from '../../command.ts';
import { printReplyTo } from '../../output/print.ts';
import { bundleArgument, groupOption } from './lifecycle.ts';

const selectionOf = ({ args: [bundle], flags }: Call) => {
  const group = textOf(flags, 'group');
  return {
    ...(bundle === undefined ? {} : { bundle }),
    ...(group === undefined ? {} : { group }),
  };
};

export const listBundlesCommand: CommandSpec = {
  name: 'list',
  summary: 'every bundle, and whether it is up',
  examples: ['agtmux bundle list', 'agtmux bundle list --group web --json'],
  args: [bundleArgument],
  options: [groupOption],
  run: (call) =>
    printReplyTo(call, (client) => client.call('list_bundles', selectionOf(call)), renderBundles),
};

export const bundleStatusCommand: CommandSpec = {
  name: 'status',
  summary: 'the members of bundles with their states, and starts that failed',
  examples: ['agtmux bundle status', 'agtmux bundle status review'],
  args: [bundleArgument],
  options: [groupOption],
  run: (call) =>
    printReplyTo(
      call,
      (client) => client.call('list_bundles', selectionOf(call)),
      renderBundleStatus,
    ),
};
