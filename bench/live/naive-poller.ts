// What people do without agtmux: a shell loop that lists the panes and captures each with a tmux
// process once a second. It prints for each pane whether its screen contains one of the marks.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Place } from './place.ts';

const script = `
while :; do
  for pane in $(tmux -S "$1" list-panes -a -F '#{pane_id}'); do
    case $(tmux -S "$1" capture-pane -p -t "$pane") in
      *"$2"* | *"$3"* | *"$4"*) echo "$pane waiting_approval" ;;
      *) echo "$pane running" ;;
    esac
  done
  echo round
  sleep 1
done`;

export class NaivePoller implements Disposable {
  readonly #child: ChildProcess;
  rounds = 0;

  constructor(
    place: Place,
    marks: readonly string[],
    onState: (paneId: string, state: string) => void,
  ) {
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', place.socket, ...marks], {
      env: place.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    place.atEnd(() => this.#child.kill('SIGKILL'));
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [paneId = '', state = ''] = line.split(' ');
        if (paneId === 'round') this.rounds += 1;
        else onState(paneId, state);
      }
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
