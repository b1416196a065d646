/**
 * Ports for servers under test. Invariant: nothing listens on the port when the promise resolves, and a process gets
 * each port once: the system may name a port again before the server that it is meant for listens on it.
 */
import { createServer } from 'node:net';

const given = new Set<number>();
const TRIES = 100;

/** Returns a port of the loopback address that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let i = 0; i < TRIES; i++) {
    const port = await unusedPort();
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
  throw new Error(`the system named only ports that this process has used, ${TRIES} times`);
}

function unusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
