// A program that no rule knows: reads its terminal raw and keeps every byte that arrives. The first
// argument is the file for them; `plain` after it takes no pastes in brackets.

import { appendFileSync, writeFileSync } from 'node:fs';

const [, , file, mode] = process.argv;
writeFileSync(file, '');
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => appendFileSync(file, bytes));
if (mode !== 'plain') process.stdout.write('\x1b[?2004h');
process.stdout.write('ready\r\n');
