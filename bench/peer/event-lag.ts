/**
 * The lag of a watch behind the server's own answers: the time from the answer to a write until its event arrives. It is
 * negative if the event arrives first. A controller that acts between the two sees a state that is older than its own
 * write. One client measures both, over one connection as client-go does, or over two.
 */
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { startLoad } from './h2load.ts';
import { ask, configMapBody, headersOf, type Side } from './side.ts';

export interface LagFigures {
  /** Milliseconds, sorted. */
  readonly lags: readonly number[];
  /** Milliseconds from the request to the answer, sorted. */
  readonly answers: readonly number[];
}

export interface LagOptions {
  readonly writes: number;
  /** Whether the watch has the connection of the writes. */
  readonly shared: boolean;
  /** Creates by other clients, 64 at a time, while this is measured. 0 for none. */
  readonly load: number;
}

const NAME = 'lag';

export async function eventLag(side: Side, namespace: string, options: LagOptions): Promise<LagFigures> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const first = await ask(side, 'POST', collection, {
    ...(JSON.parse(configMapBody()) as object),
    metadata: { name: NAME },
  });
  const writer = connect(side.url, { rejectUnauthorized: false });
  const reader = options.shared ? writer : connect(side.url, { rejectUnauthorized: false });
  try {
    const { resourceVersion } = (JSON.parse(first) as { metadata: { resourceVersion: string } }).metadata;
    const query = `watch=true&fieldSelector=metadata.name%3D${NAME}&resourceVersion=${resourceVersion}`;
    const events = await openWatch(side, reader, `${collection}?${query}`);
    const load =
      options.load === 0
        ? undefined
        : startLoad({
            url: `${side.url}/api/v1/namespaces/filler/configmaps`,
            headers: headersOf(side),
            requests: options.load,
            connections: 4,
            streams: 16,
            body: configMapBody(),
          }).figures;
    const figures = await measureWrites(side, writer, `${collection}/${NAME}`, events, options, load);
    await load;
    return figures;
  } finally {
    writer.destroy();
    reader.destroy();
    await ask(side, 'DELETE', `${collection}/${NAME}`);
  }
}

/** Writes until `writes` are measured or, with a load, until the load has ended. */
async function measureWrites(
  side: Side,
  writer: ClientHttp2Session,
  path: string,
  events: Events,
  { writes }: LagOptions,
  load: Promise<unknown> | undefined,
): Promise<LagFigures> {
  const lags: number[] = [];
  const answers: number[] = [];
  let loaded = load !== undefined;
  void load?.then(() => {
    loaded = false;
  });
  for (let i = 0; loaded || (load === undefined && i < writes); i++) {
    const event = events.next();
    const began = performance.now();
    const answered = await patch(side, writer, path, i);
    lags.push((await event) - answered);
    answers.push(answered - began);
  }
  const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  return { lags: sorted(lags), answers: sorted(answers) };
}

interface Events {
  /** Resolves with the time at which the next event arrives. */
  next(): Promise<number>;
}

async function openWatch(side: Side, session: ClientHttp2Session, path: string): Promise<Events> {
  const stream = session.request({ ':path': path, ...headers(side) });
  await once(stream, 'response');
  let waiting: ((at: number) => void) | undefined;
  stream.on('data', (chunk: Buffer) => {
    const at = performance.now();
    // Each write is awaited, so a chunk ends at most one event.
    if (chunk.at(-1) === 0x0a) waiting?.(at);
  });
  return {
    next: () =>
      new Promise((resolve) => {
        waiting = resolve;
      }),
  };
}

/** Resolves with the time at which the whole answer has arrived. */
function patch(side: Side, session: ClientHttp2Session, path: string, value: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream: ClientHttp2Stream = session.request({
      ':method': 'PATCH',
      ':path': path,
      ...headers(side),
      'content-type': 'application/merge-patch+json',
    });
    stream.on('response', (answer) => {
      if (answer[':status'] !== 200) reject(new Error(`${side.name}: PATCH ${path}: ${answer[':status']}`));
    });
    stream.on('data', () => undefined);
    stream.on('end', () => resolve(performance.now()));
    stream.on('error', reject);
    stream.end(JSON.stringify({ data: { value: String(value) } }));
  });
}

function headers(side: Side): Record<string, string> {
  return { authorization: `Bearer ${side.token}`, accept: 'application/json' };
}
