import { describe, expect, it } from 'vitest';
import { serviceFile } from './supervisor-file.ts';

const service = {
  command: ['/opt/my node/bin/node', '--flag=1', '/a"b\\c/50%/$HOME/<&>'],
  env: { PATH: '/bin:/a b', EVIL: 'x\nExecStart=/bin/evil' },
};

describe('a service file', () => {
  it('for systemd restarts the daemon and stops only the daemon', () => {
    const text = serviceFile('systemd', service);
    expect(text).toContain(
      'ExecStart="/opt/my node/bin/node" "--flag=1" "/a\\"b\\\\c/50%%/$$HOME/<&>"\n',
    );
    expect(text).toContain('Environment="PATH=/bin:/a b"\n');
    expect(text).toContain('\nKillMode=process\n');
    expect(text.match(/^ExecStart=/gm)).toHaveLength(1);
  });

  it('for launchd is XML that parses', () => {
    const text = serviceFile('launchd', service);
    expect(text).toContain('<string>/a&quot;b\\c/50%/$HOME/&lt;&amp;&gt;</string>');
    expect(text).toContain('<string>x ExecStart=/bin/evil</string>');
    const open = text.match(/<(?:dict|array|string|key)>/g) ?? [];
    const closed = text.match(/<\/(?:dict|array|string|key)>/g) ?? [];
    expect(open).toHaveLength(closed.length);
  });
});
