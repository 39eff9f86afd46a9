import { readFileSync } from 'node:fs';
import { hostOn, LIMITS } from './live-host.ts';
import { TestSshd, processesWith } from './sshd.ts';
import { RemoteProcesses } from '../../src/ssh/remote-processes.ts';
const sshd = await TestSshd.start();
const t0 = performance.now();
const host = await hostOn(sshd);
console.log('connect', performance.now() - t0);
const ts: number[] = [];
for (let i = 0; i < 20; i++) { const t = performance.now(); await host.run(['-V'], LIMITS); ts.push(performance.now() - t); }
console.log('run p50', ts.sort((a, b) => a - b)[10]);
const r = new RemoteProcesses(host);
const t = performance.now(); await r.refresh([1]); console.log('first refresh ms', performance.now() - t, r.tree(1)?.length);
const us: number[] = []; for (let i = 0; i < 20; i++) { const u = performance.now(); await r.refresh([1]); us.push(performance.now() - u); }
console.log('refresh p50', us.sort((a, b) => a - b)[10]);
let pss = 0; for (const pid of processesWith(sshd.runtimeDir)) { const k = Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]); console.log(pid, k); pss += k; }
console.log('pss kB', pss);
await host.close(); await sshd[Symbol.asyncDispose]();
