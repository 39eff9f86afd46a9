// Where the service file of the daemon goes, and the commands that start and stop the service: for
// systemd and for launchd. Pure.

import type { ServiceKind } from './supervisor-file.ts';

export interface ServicePlace {
  readonly home: string;
  readonly uid: number;
  /** XDG_CONFIG_HOME, where it is set. */
  readonly configHome?: string | undefined;
}

type Command = readonly [program: string, ...args: string[]];

export interface ServiceManager {
  readonly kind: ServiceKind;
  readonly file: string;
  /** Forget an older service first; these may fail. */
  readonly prepare: readonly Command[];
  readonly start: readonly Command[];
  readonly stop: readonly Command[];
  /** What it says where there is nothing to stop. */
  readonly notLoaded: RegExp;
  /** What a person may want to know of it. */
  readonly note: string;
}

const UNIT = 'agtmux.service';
const LABEL = 'dev.agtmux.daemon';

export function serviceManager(kind: ServiceKind, place: ServicePlace): ServiceManager {
  return kind === 'systemd' ? systemd(place) : launchd(place);
}

function systemd({ home, configHome }: ServicePlace): ServiceManager {
  const systemctl = (...args: string[]): Command => ['systemctl', '--user', ...args];
  return {
    kind: 'systemd',
    file: `${configHome || `${home}/.config`}/systemd/user/${UNIT}`,
    prepare: [],
    start: [systemctl('daemon-reload'), systemctl('enable', '--now', UNIT)],
    stop: [systemctl('disable', '--now', UNIT)],
    notLoaded: /agtmux\.service (?:not loaded|does not exist|could not be found|not found)/,
    note: 'It ends when you log out; to keep it, run loginctl enable-linger.',
  };
}

function launchd({ home, uid }: ServicePlace): ServiceManager {
  const file = `${home}/Library/LaunchAgents/${LABEL}.plist`;
  const bootout: Command = ['launchctl', 'bootout', `gui/${uid}/${LABEL}`];
  return {
    kind: 'launchd',
    file,
    prepare: [bootout],
    start: [['launchctl', 'bootstrap', `gui/${uid}`, file]],
    stop: [bootout],
    notLoaded: /No such process|Could not find (?:specified )?service/,
    note: 'It ends when you log out.',
  };
}
