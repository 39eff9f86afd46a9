import { describe, expect, it } from 'vitest';
import { reasonFromStderr, reasonOf, SshFault } from './reason.ts';

describe('the reason of an ssh failure', () => {
  it.each([
    ['ssh: connect to host vm1 port 22: Connection refused\r\n', 'host_unreachable'],
    ['ssh: connect to host vm1 port 22: No route to host', 'host_unreachable'],
    ['ssh: Could not resolve hostname vm9: Name or service not known', 'host_unreachable'],
    ['kex_exchange_identification: Connection closed by remote host', 'host_unreachable'],
    ['ssh: connect to host vm1 port 22: Connection timed out', 'timed_out'],
    ['Connection timed out during banner exchange', 'timed_out'],
    ['Timeout, server vm1 not responding.', 'timed_out'],
    ['me@vm1: Permission denied (publickey,password).', 'authentication_refused'],
    ['Received disconnect: Too many authentication failures', 'authentication_refused'],
    [
      '@@@\n@ REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@\nHost key verification failed.',
      'host_key_changed',
    ],
    ['Host key verification failed.', 'host_key_unknown'],
    [
      'mux_client_request_session: session request failed: Session open refused by peer\n' +
        'Connection closed by UNKNOWN port 65535',
      'channel_refused',
    ],
    ['agtmux-tether: 1: exec: ssh: not found', 'ssh_not_found'],
    ['mux_client_request_session: read from master failed: Broken pipe', 'connection_lost'],
    ['something new', 'connection_lost'],
    ['', 'connection_lost'],
  ])('%j means %s', (stderr, code) => {
    expect(reasonFromStderr(stderr, 'connection_lost').code).toBe(code);
  });

  it('has the last line of stderr, without control characters', () => {
    const { sentence } = reasonFromStderr(
      `a\n\x1b]52;c;x\x07\u202e${'y'.repeat(500)}\n`,
      'timed_out',
    );
    expect(sentence).toMatch(/^the host did not answer in time \(\]52;c;x y+\)$/);
    expect(sentence.length).toBeLessThan(300);
  });

  it('becomes a fault that names the host', () => {
    const fault = new SshFault('vm1', reasonOf('host_key_changed'));
    expect(fault.code).toBe('ssh_auth_failed');
    expect(fault.message).toContain('vm1: ');
    expect(fault.message).toContain('the key of the host has changed');
  });
});
