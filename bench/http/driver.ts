/**
 * The clients of the HTTP benchmark, in this process: node:http2 sessions that keep a number of requests in flight. No
 * other program is needed.
 */
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';

export async function dial(port: number, ca: string, count: number): Promise<ClientHttp2Session[]> {
  const sessions = Array.from({ length: count }, () => connect(`https://127.0.0.1:${port}`, { ca }));
  await Promise.all(sessions.map((session) => once(session, 'connect')));
  return sessions;
}

/** Sends `total` GETs over the sessions with `inFlight` at a time. Every answer must be complete. */
export function drive(
  sessions: readonly ClientHttp2Session[],
  options: { readonly inFlight: number; readonly total: number; readonly size: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = 0;
    let done = 0;
    const next = (): void => {
      if (begun === options.total) return;
      const stream = sessions[begun++ % sessions.length]!.request({ ':path': '/' });
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      stream.on('error', reject);
      stream.on('end', () => {
        if (size !== options.size) reject(new Error(`an answer had ${size} bytes`));
        else if (++done === options.total) resolve();
        else next();
      });
    };
    for (let i = 0; i < options.inFlight; i++) next();
  });
}

/** Opens `count` watches over the sessions. `received` counts the bytes of all of them. */
export async function openWatches(
  sessions: readonly ClientHttp2Session[],
  count: number,
): Promise<{ received(): number; until(bytes: number): Promise<void> }> {
  let received = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let reached = (): void => {};
  const opened = Array.from({ length: count }, (_, i) => {
    const stream = sessions[i % sessions.length]!.request({ ':path': '/watch' });
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received >= wanted) reached();
    });
    return once(stream, 'response');
  });
  await Promise.all(opened);
  return {
    received: () => received,
    until(bytes) {
      return new Promise((resolve) => {
        wanted = bytes;
        reached = resolve;
        if (received >= bytes) resolve();
      });
    },
  };
}
