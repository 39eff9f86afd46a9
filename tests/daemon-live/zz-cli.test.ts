import { test } from 'vitest';
import { LiveDaemon } from './live-daemon.ts';
test('x', async () => {
  await using live = new LiveDaemon();
  live.tmux.newSession('home', 'cat');
  await live.start();
  for (const args of [
    ['target','list'], ['target','list','--json'],
    ['target','add','vm1','--kind','ssh','--ssh-target','-oProxyCommand=x'],
    ['target','add','vm1','--kind','ssh','--ssh-target=-oProxyCommand=x'],
    ['target','add','vm1','--kind','ssh','--ssh-target=$(x)'],
    ['target','add','-x','--kind','ssh'],
    ['target','add','vm1'],
    ['target','add','vm1','--kind','foo'],
    ['target','add','vm1','--kind','ssh','--ssh-target','nobody.invalid'],
    ['target','add','vm1','--kind','ssh'],
    ['target','add','local','--kind','local'],
    ['target','add','here','--kind','local'],
    ['target','add','vm2','--kind','ssh','--ssh-target','nobody.invalid', '--json'],
    ['target','connect','vm1'],['target','connect','vm1','--json'],['target','connect','nope'],['target','connect'],
    ['target','list'],
    ['list','panes'],
    ['list','panes','--target','vm1'],
    ['list','panes','--target','nope'],
    ['list','sessions','--target','nope'],
    ['list','windows','--target-session','nope/x'],
    ['watch','--once','--target','nope'],
    ['watch','--once','--format','jsonl','--target','nope'],
    ['watch','--once','--format','jsonl'],
    ['target','remove','vm1'],
    ['target','remove','local','--yes'],
    ['target','remove','nope','--yes'],
    ['target','remove','vm1','--yes'],
    ['target','remove','vm2','--yes','--json'],
    ['target'],['target','list'],
    ['status'],
  ]) {
    const t = performance.now();
    const r = await live.cli(...args);
    console.log('$ agtmux', args.join(' '), `=> ${r.code} (${Math.round(performance.now()-t)} ms)\n` + r.out + (r.err && 'ERR ' + r.err));
  }
}, 200000);
