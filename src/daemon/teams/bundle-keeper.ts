// Looks after bundles that are up: has their tmux servers watched, also after a restart of the
// daemon and once a machine is reached, and starts members again whose program has ended, where
// the bundle's file says so. It creates no session and starts no server.

import type { PaneRecord } from '../../core/world.ts';
import type { TeamsPort } from '../../operations/ports/teams-port.ts';
import { Fault } from '../../platform/fault.ts';
import {
  type MemberRestarts,
  nextRestart,
  noRestarts,
  readRestarted,
  restartCommand,
  restarted,
  settledEnd,
} from '../../relay/bundles/member-restarts.ts';
import { type Bundle, type Member, memberKey } from '../../schema/relay/team.ts';
import type { ServerAddress } from '../../sources/known-pane.ts';
import type { TmuxLink } from '../../tmux/link.ts';

export interface BundleKeeperParts {
  readonly nowMs: () => number;
  readonly teams: TeamsPort;
  /** Null: the server is not watched. */
  readonly linkAt: (address: ServerAddress) => Pick<TmuxLink, 'run'> | null;
  readonly commandTimeoutMs: () => number;
  readonly log: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export class BundleKeeper {
  readonly #parts: BundleKeeperParts;
  /** By bundle and member. */
  readonly #restarts = new Map<string, MemberRestarts>();
  #turn: Promise<void> | null = null;

  constructor(parts: BundleKeeperParts) {
    this.#parts = parts;
  }

  /** How often in a row a member was started again. */
  countOf(bundle: string, member: string): number {
    return this.#restarts.get(memberKey(bundle, member))?.count ?? 0;
  }

  /** One look at all bundles; the next one waits until it is done. Throws Faults of the store. */
  tick(): void {
    if (this.#turn) return;
    const wanted = this.#wanted();
    this.#forget(wanted);
    this.#turn = this.#look(wanted)
      .catch((error: unknown) => this.#parts.log({ err: error }, 'bundles could not be kept'))
      .finally(() => {
        this.#turn = null;
      });
  }

  #wanted(): readonly Bundle[] {
    const { teams } = this.#parts;
    return [...teams.team().bundles.values()].filter(({ name }) => teams.isWanted(name));
  }

  /** Of bundles that are down, and of members that are no more. */
  #forget(wanted: readonly Bundle[]): void {
    const keys = new Set(
      wanted.flatMap(({ name, members }) => members.map(({ id }) => memberKey(name, id))),
    );
    for (const key of this.#restarts.keys()) if (!keys.has(key)) this.#restarts.delete(key);
  }

  async #look(wanted: readonly Bundle[]): Promise<void> {
    const { teams, linkAt } = this.#parts;
    for (const bundle of wanted) {
      const at = teams.serverOf(bundle);
      if (!at) continue;
      if (linkAt(at) === null) teams.watch(bundle, true);
      if (bundle.restart.when === 'never' || teams.isHeld(bundle.name)) continue;
      for (const member of bundle.members) {
        if (member.transport.kind === 'tmux') await this.#keep(bundle, member);
      }
    }
  }

  async #keep(bundle: Bundle, member: Member): Promise<void> {
    const { teams, nowMs } = this.#parts;
    const key = memberKey(bundle.name, member.id);
    const pane = teams.paneOf(bundle, member.id);
    // A session that is gone is not made again: a person may have ended it.
    if (!pane?.facts) return;
    const before = this.#restarts.get(key) ?? noRestarts;
    const deadPid = pane.facts.dead ? pane.facts.birth.pid : null;
    const { restarts, step } = nextRestart(bundle.restart, before, deadPid, nowMs());
    this.#restarts.set(key, restarts);
    if (step === 'give_up') {
      this.#restarts.set(key, settledEnd(restarts));
      this.#gaveUp(bundle, member, restarts.count);
    }
    if (step !== 'start') return;
    const isStarted = await this.#start(bundle, member, pane);
    if (isStarted === null) return;
    this.#restarts.set(key, isStarted ? restarted(restarts, nowMs()) : settledEnd(restarts));
    if (!isStarted) return;
    const { count } = restarts;
    this.#parts.log({ member: key, count: count + 1 }, 'a member was started again');
  }

  /** Whether it was started; null: tmux gave no answer, and the next look asks again. */
  async #start(bundle: Bundle, member: Member, { facts }: PaneRecord): Promise<boolean | null> {
    const { teams, linkAt, commandTimeoutMs } = this.#parts;
    const link = facts && linkAt(facts);
    if (!link) return null;
    const { paneId, birth } = facts;
    const owner = teams.ownerOf(bundle.name);
    const pane = { paneId, pid: birth.pid, owner, member: member.id };
    const command = restartCommand(bundle.restart, pane);
    try {
      const replies = await link.run([command], { deadlineMs: commandTimeoutMs() });
      return readRestarted(replies.flatMap((reply) => (reply.ok ? reply.lines : [])));
    } catch (error) {
      if (error instanceof Fault) return null;
      throw error;
    }
  }

  #gaveUp({ name }: Bundle, { id }: Member, count: number): void {
    const cause = `its command has ended, and was started again ${count} times before`;
    const details = { session_name: id, session_id: id, cause, error_code: null };
    const reason = `it is not started again: ${cause}`;
    const failure = { session_id: id, transport: 'tmux', code: 'runtime_startup_failed' } as const;
    this.#parts.teams.addFailures(name, [{ ...failure, reason, details }]);
    this.#parts.log({ member: memberKey(name, id), count }, 'a member is not started again');
  }
}
