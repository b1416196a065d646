import { describe, expect, it } from 'vitest';
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { TransportError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { type RetryOptions, withRetries } from './with-retries.ts';

type Outcome = TransportResponse | Error;

function response(status: number, retryAfter?: string): TransportResponse {
  return { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body: new Uint8Array(0) };
}

const lost = new TransportError('EOF', { connectionLost: true });
const unsent = new TransportError('connection refused');
const unknown = new TransportError('EOF', { connectionLost: true, retryable: false });

/** A transport whose outcomes are given, the last one again and again, and the times of its calls. */
function scripted(outcomes: readonly Outcome[], options: RetryOptions = {}) {
  const clock = new VirtualClock(0);
  const calls: number[] = [];
  const requests: TransportRequest[] = [];
  const inner: Transport = async (request) => {
    const outcome = outcomes[Math.min(calls.length, outcomes.length - 1)]!;
    calls.push(clock.monotonic());
    requests.push(request);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { clock, calls, requests, transport: withRetries(inner, { clock, ...options }) };
}

/** Sends a request, lets time pass, and returns the status or the error. */
async function run(
  { clock, transport }: ReturnType<typeof scripted>,
  request: Partial<TransportRequest> = {},
): Promise<unknown> {
  const settled = transport({ method: 'GET', target: '/x', ...request }).then(
    ({ status }) => status,
    (error: unknown) => error,
  );
  await clock.advance(1_000_000);
  expect(clock.pendingTimers).toBe(0);
  return settled;
}

describe('withRetries', () => {
  it('repeats any request after the time that a 429 or 5xx names', async () => {
    const body = new Uint8Array([1]);
    for (const status of [429, 500, 503, 504]) {
      const made = scripted([response(status, '2'), response(status, '0'), response(201)]);
      expect(await run(made, { method: 'POST', body })).toBe(201);
      expect(made.calls).toEqual([0, 2_000, 2_000]);
      expect(made.requests.every((request) => request.body === body)).toBe(true);
    }
  });

  it('does not repeat other responses', async () => {
    for (const answer of [response(200, '1'), response(409, '1'), response(503), response(503, 'Fri, 31 Dec 1999')]) {
      const made = scripted([answer]);
      expect(await run(made)).toBe(answer.status);
      expect(made.calls).toHaveLength(1);
    }
  });

  it('gives up after ten retries, and waits no longer than half a minute', async () => {
    const made = scripted([response(429, '86400')]);
    expect(await run(made)).toBe(429);
    expect(made.calls).toEqual(Array.from({ length: 11 }, (_, i) => i * 30_000));
  });

  it('repeats a read after its connection was lost, and no write', async () => {
    const read = scripted([lost, lost, response(200)]);
    expect(await run(read)).toBe(200);
    expect(read.calls).toEqual([0, 1_000, 2_000]);
    const write = scripted([unknown]);
    expect(await run(write, { method: 'POST' })).toBe(unknown);
    expect(write.calls).toEqual([0]);
    const gone = scripted([lost]);
    expect(await run(gone)).toBe(lost);
    expect(gone.calls).toHaveLength(11);
  });

  it('repeats a request that was not sent once', async () => {
    const made = scripted([unsent]);
    expect(await run(made, { method: 'POST' })).toBe(unsent);
    expect(made.calls).toEqual([0, 1_000]);
    const never = scripted([unsent], { unsentRetries: 0 });
    expect(await run(never)).toBe(unsent);
    expect(never.calls).toEqual([0]);
  });

  it('does not repeat other errors', async () => {
    for (const error of [new TransportError('no HTTP', { retryable: false }), new Error('x')]) {
      const made = scripted([error]);
      expect(await run(made)).toBe(error);
      expect(made.calls).toHaveLength(1);
    }
  });

  it('ends the wait when the signal aborts', async () => {
    const made = scripted([response(503, '10')]);
    const abort = new AbortController();
    const running = made.transport({ method: 'GET', target: '/', signal: abort.signal });
    await made.clock.advance(5_000);
    abort.abort(new Error('no longer needed'));
    await expect(running).rejects.toThrow('no longer needed');
    expect(made.clock.pendingTimers).toBe(0);
    expect(made.calls).toEqual([0]);
  });

  it('cancels the body of a response that it does not hand out', async () => {
    let isCancelled = false;
    const body: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => body,
      next: async () => ({ done: false, value: new Uint8Array(1) }),
      return: async () => {
        isCancelled = true;
        return { done: true, value: undefined };
      },
    };
    const made = scripted([{ ...response(503, '1'), body }, response(200)]);
    expect(await run(made)).toBe(200);
    expect(isCancelled).toBe(true);
  });
});
