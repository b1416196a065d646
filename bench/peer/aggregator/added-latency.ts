/**
 * The latency that an aggregator adds to a request: one request at a time on kept connections, through both
 * aggregators and directly to the server behind them, in blocks that take turns. The direct request is the one that an
 * aggregator sends: it has the certificate of the front proxy and the headers that name the user, which the server
 * behind checks for about 0.1 ms longer than a token that it knows.
 */
import type { HttpHeaders } from '../../../src/apimachinery/http/transport.ts';
import { median } from '../../measure.ts';
import { type ClientOptions, connectClient, type H2Client, readBody } from './h2-client.ts';

export interface LatencyWork {
  readonly path: string;
  /** The body of a POST. Default: the request is a GET. */
  readonly body?: string;
}

export interface LatencyOptions {
  readonly work: LatencyWork;
  /** The figures of a round are medians over its blocks. */
  readonly rounds: number;
  readonly blocks: number;
}

export interface Latencies {
  /** The median latency of a direct request, in milliseconds. */
  readonly direct: number;
  /** For each aggregator, the added milliseconds of each round. */
  readonly added: readonly (readonly number[])[];
}

/** Consecutive requests of one connection. */
const BLOCK = 50;

export async function addedLatency(
  direct: ClientOptions,
  aggregators: readonly ClientOptions[],
  { work, rounds, blocks }: LatencyOptions,
): Promise<Latencies> {
  const clients: H2Client[] = [];
  try {
    for (const options of [direct, ...aggregators]) clients.push(await connectClient(options));
    for (const client of clients) await runBlock(client, work);
    const directs: number[] = [];
    const added: number[][] = aggregators.map(() => []);
    for (let round = 0; round < rounds; round++) {
      const differences: number[][] = aggregators.map(() => []);
      for (let block = 0; block < blocks; block++) {
        const figures: number[] = [];
        for (let i = 0; i < clients.length; i++) {
          const turn = (i + block) % clients.length;
          figures[turn] = await runBlock(clients[turn]!, work);
        }
        directs.push(figures[0]!);
        for (let i = 0; i < aggregators.length; i++) differences[i]!.push(figures[i + 1]! - figures[0]!);
      }
      for (let i = 0; i < aggregators.length; i++) added[i]!.push(median(differences[i]!));
    }
    return { direct: median(directs), added };
  } finally {
    for (const client of clients) client.close();
  }
}

/** Returns the median latency of a block, in milliseconds. */
async function runBlock(client: H2Client, { path, body }: LatencyWork): Promise<number> {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const latencies: number[] = [];
  for (let i = 0; i < BLOCK; i++) {
    const start = performance.now();
    await readBody(await client.send(bytes === undefined ? 'GET' : 'POST', path, bytes));
    latencies.push(performance.now() - start);
  }
  return median(latencies);
}

/** The headers of a request by a user of the token file, as a front proxy names the user. */
export function frontProxyHeaders(user: string, uid: string, groups: readonly string[]): HttpHeaders {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'x-remote-user': user,
    'x-remote-uid': uid,
    'x-remote-group': [...groups, 'system:authenticated'],
  };
}
