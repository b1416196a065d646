/** One event to many watches, from the answer to its write until the last of them has it. */
import { type ClientHttp2Session, connect } from 'node:http2';
import { cpuSeconds } from '../process-figures.ts';
import { ask, type Side } from '../side.ts';
import { FLUNDERS } from './sample.ts';

const WATCHES = 1000;
const CONNECTIONS = 10;

export interface WatchFigures {
  /** Milliseconds from the start of the write to the event on the last watch, per write. */
  readonly lastMs: readonly number[];
  /** Server CPU per delivered event, in microseconds. */
  readonly cpuMicros: number;
}

export async function proxiedWatch(side: Side, writer: Side, writes: number): Promise<WatchFigures> {
  const list = JSON.parse(await ask(side, 'GET', `${FLUNDERS}?limit=1`)) as { metadata: { resourceVersion: string } };
  const path = `${FLUNDERS}?watch=true&resourceVersion=${list.metadata.resourceVersion}&timeoutSeconds=300`;
  const sessions: ClientHttp2Session[] = [];
  let onEvent = (): void => {};
  const opened: Promise<void>[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const session = connect(side.url, { rejectUnauthorized: false });
    session.on('error', () => {});
    sessions.push(session);
    for (let j = 0; j < WATCHES / CONNECTIONS; j++) {
      const stream = session.request({ ':path': path, authorization: `Bearer ${side.token}` });
      opened.push(
        new Promise((resolve, reject) => {
          stream.on('response', (headers) =>
            headers[':status'] === 200 ? resolve() : reject(new Error(`a watch was answered ${headers[':status']}`)),
          );
          stream.on('error', reject);
        }),
      );
      // Every write is one event, and small enough for one frame.
      stream.on('data', () => onEvent());
    }
  }
  try {
    await Promise.all(opened);
    const lastMs: number[] = [];
    let cpu = 0;
    for (let write = 0; write < writes; write++) {
      let missing = WATCHES;
      const delivered = new Promise<void>((resolve) => {
        onEvent = () => {
          if (--missing === 0) resolve();
        };
      });
      const before = cpuSeconds(side.pids);
      const start = performance.now();
      await Promise.all([ask(writer, 'POST', FLUNDERS, flunder()), delivered]);
      lastMs.push(performance.now() - start);
      cpu += cpuSeconds(side.pids) - before;
    }
    return { lastMs, cpuMicros: (cpu * 1e6) / (writes * WATCHES) };
  } finally {
    for (const session of sessions) session.destroy();
  }
}

function flunder(): object {
  return {
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: { generateName: 'bench-', labels: { app: 'bench' } },
    spec: { reference: 'bench', referenceType: 'Flunder' },
  };
}
