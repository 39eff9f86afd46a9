// The connections to one host: the first, and more when its channels are used up. A channel is
// always one of a connection that is logged in; there is no other way to the host.

import type { SshAddress } from './arguments.ts';
import { newControlPath } from './control-folder.ts';
import { CHANNELS_MAX, Master } from './master.ts';
import { reasonFromStderr, reasonOf, SshFault } from './reason.ts';

/** 32 channels: more taps than that are not worth a fifth login. */
const MASTERS_MAX = 4;
/** Taps leave this many channels to the commands, without which nothing is seen at all. */
const KEPT_FOR_COMMANDS = 4;
/** An unused further connection is ended after this. */
const SPARE_MS = 60_000;

export type ChannelKind = 'command' | 'tap';

/** One channel of a connection, taken until it is released. */
export interface ChannelLease {
  readonly address: SshAddress;
  /** Gives the channel back. ssh's stderr shows whether the host refused it. */
  release(stderr?: string): void;
}

export interface MastersOptions {
  readonly destination: string;
  readonly controlFolder: string;
  readonly extraArguments: readonly string[];
  readonly env: NodeJS.ProcessEnv | undefined;
}

export class Masters {
  readonly #options: MastersOptions;
  readonly #masters = new Set<Master>();
  #tapCount = 0;
  /** Channels per connection that the host accepts, learnt from its refusals. */
  #capacity = CHANNELS_MAX;

  constructor(options: MastersOptions) {
    this.#options = options;
  }

  /** Starts a connection; see its `ready` and `over`. */
  connect(): Master {
    const { destination, controlFolder, extraArguments, env } = this.#options;
    const controlPath = newControlPath(controlFolder);
    const address = { destination, controlPath, extraArguments };
    const master = new Master(address, env, this.#capacity);
    this.#masters.add(master);
    master.over.then(() => this.#masters.delete(master));
    return master;
  }

  get masterCount(): number {
    return this.#masters.size;
  }

  get channelCount(): number {
    return [...this.#masters].reduce((sum, { channelCount }) => sum + channelCount, 0);
  }

  /** Takes a channel, on a new connection where the others are full. Throws an SshFault. */
  async take(kind: ChannelKind): Promise<ChannelLease> {
    const tapsMax = MASTERS_MAX * this.#capacity - KEPT_FOR_COMMANDS;
    if (kind === 'tap' && this.#tapCount >= tapsMax) throw this.#refusal('all channels are used');
    if (kind === 'tap') this.#tapCount += 1;
    try {
      return this.#lease(await this.#masterWithRoom(), kind);
    } catch (fault) {
      if (kind === 'tap') this.#tapCount -= 1;
      throw fault;
    }
  }

  /** Ends every connection. Resolves when no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    // The host's limit may be another one at the next login.
    this.#capacity = CHANNELS_MAX;
    await Promise.all([...this.#masters].map((master) => master[Symbol.asyncDispose]()));
  }

  async #masterWithRoom(): Promise<Master> {
    for (;;) {
      const masters = [...this.#masters].filter((master) => !master.isOver);
      const found = masters.find((master) => master.hasRoom);
      if (found) return found;
      if (masters.length === 0) {
        throw new SshFault(this.#options.destination, reasonOf('connection_lost'));
      }
      const connecting = masters.find((master) => !master.isReady);
      if (!connecting && masters.length >= MASTERS_MAX) {
        throw this.#refusal('all channels are used');
      }
      // Whoever comes in the meantime waits for the same one.
      await (connecting ?? this.connect()).ready;
    }
  }

  #lease(master: Master, kind: ChannelKind): ChannelLease {
    const giveBack = master.takeChannel();
    let isTaken = true;
    return {
      address: master.address,
      release: (stderr = '') => {
        if (!isTaken) return;
        isTaken = false;
        if (kind === 'tap') this.#tapCount -= 1;
        const wasRefused = reasonFromStderr(stderr, 'connection_lost').code === 'channel_refused';
        giveBack(wasRefused);
        this.#capacity = Math.min(this.#capacity, master.capacity);
        this.#considerEnding(master);
      },
    };
  }

  #considerEnding(master: Master): void {
    const isFirst = [...this.#masters][0] === master;
    if (isFirst || master.channelCount > 0) return;
    setTimeout(() => {
      if (master.channelCount === 0 && !master.isOver) master[Symbol.asyncDispose]();
    }, SPARE_MS).unref();
  }

  #refusal(found: string): SshFault {
    return new SshFault(this.#options.destination, reasonOf('channel_refused', found));
  }
}
