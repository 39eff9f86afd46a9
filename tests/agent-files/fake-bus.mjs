// An agent's HTTP server as opencode has one, for tests: it listens on a port that the system
// chooses, answers what it was last told to by lines on its standard input, and streams events.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

let answers = { '/session/status': {}, '/permission': [], '/question': [] };
let isLocked = false;
const streams = new Set();

const server = createServer((request, response) => {
  if (isLocked) {
    response.writeHead(401).end();
  } else if (request.url === '/event') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.add(response);
    send(response, { type: 'server.connected', properties: {} });
  } else {
    const answer = answers[request.url];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
  }
});

/** In two pieces, so that an event is not one read. */
function send(response, event) {
  const text = `data: ${JSON.stringify(event)}\n\n`;
  response.write(text.slice(0, 9));
  response.write(text.slice(9));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const order = JSON.parse(line);
  if (order.answers) answers = { ...answers, ...order.answers };
  if (order.event) for (const response of streams) send(response, order.event);
  if (order.cut) for (const response of streams) response.destroy();
  if (order.lock) isLocked = true;
});

server.listen(0, '127.0.0.1');
