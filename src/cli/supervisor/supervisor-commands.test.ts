import { describe, expect, it } from 'vitest';
import { serviceManager } from './supervisor-commands.ts';

const place = { home: '/home/dev', uid: 1_000 };

describe('a service that cannot be stopped', () => {
  it.each([
    ['systemd', 'Failed to stop agtmux.service: Unit agtmux.service not loaded.', true],
    ['systemd', 'Failed to disable unit: Unit file agtmux.service does not exist.', true],
    ['systemd', 'Failed to connect to bus: No such file or directory', false],
    ['systemd', 'Failed to connect to bus: Unit dbus.socket not found.', false],
    ['systemd', 'spawn systemctl ENOENT', false],
    ['launchd', 'Boot-out failed: 3: No such process', true],
    ['launchd', 'Boot-out failed: 5: Input/output error', false],
  ] as const)('of %s that says %j is not loaded: %s', (kind, words, isNotLoaded) => {
    expect(serviceManager(kind, place).notLoaded.test(words)).toBe(isNotLoaded);
  });
});
