import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import type { Answer } from '../http/exchange.ts';
import { registerServerMetrics } from '../metrics/server-metrics.ts';
import { atOnce, bodyJson, bodyText, FakeIncoming, OK_ANSWER, testChain } from './filters.fixtures.ts';

const TIMEOUT = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

function slowChain(changes: Parameters<typeof testChain>[0] = {}) {
  const work = new Deferred<Answer>();
  const chain = testChain({ dispatch: () => work.promise, ...changes });
  const settled: Answer[] = [];
  const ask = (target = '/version'): void => {
    void Promise.resolve(chain.handler(new FakeIncoming({ target }))).then((answer) => settled.push(answer));
  };
  return { ...chain, work, settled, ask };
}

describe('a request that takes too long', () => {
  it('is answered with 504 at its deadline, and its late answer is discarded', async () => {
    const registry = new MetricRegistry();
    const { clock, work, settled, ask, gate } = slowChain({ metrics: registerServerMetrics(registry) });
    ask();
    await clock.advance(59_999);
    expect(settled).toEqual([]);
    await clock.advance(500);
    expect(settled.map(bodyJson)).toEqual([TIMEOUT]);
    expect(settled[0]?.headers['audit-id']).toBe('new-id');
    // The work goes on and is counted until it ends.
    expect(gate.count('readOnly')).toBe(1);
    work.resolve(OK_ANSWER);
    await clock.advance(1000);
    expect(settled).toHaveLength(1);
    expect(gate.count('readOnly')).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(registry.print()).toMatch(/apiserver_request_terminations_total\{code="504".*subresource="\/version".*\} 1/);
  });

  it.each([
    ['10s', 10_000],
    ['90s', 60_000],
    ['0s', 60_000],
    ['-5s', 60_000],
    ['', 60_000],
    ['1ns', 0],
  ])('with timeout=%s ends after %i ms', async (timeout, ms) => {
    const { clock, settled, ask } = slowChain();
    ask(`/version?timeout=${timeout}`);
    if (ms > 0) await clock.advance(ms - 1);
    expect(settled).toEqual([]);
    await clock.advance(500);
    expect(settled.map(bodyJson)).toEqual([TIMEOUT]);
  });

  it('has the deadline that the server is configured for', async () => {
    const { clock, settled, ask, dispatched } = slowChain({ requestTimeoutMs: 1000 });
    ask();
    await clock.advance(1500);
    expect(settled).toHaveLength(1);
    expect(dispatched[0]?.deadline).toBe(1000);
  });

  it('and fails afterwards is logged', async () => {
    const { clock, work, ask, log } = slowChain({ requestTimeoutMs: 1000 });
    ask();
    await clock.advance(1500);
    work.reject(new TypeError('late'));
    await clock.advance(0);
    expect(log.lines.map(({ message, error }) => [message, error?.message])).toEqual([
      ['a request was answered with an error', 'Timeout: request did not complete within the allotted timeout'],
      ['a request failed after its deadline', 'late'],
    ]);
  });

  it('and answers with a stream afterwards lets its owner clean up', async () => {
    const { clock, work, ask } = slowChain({ requestTimeoutMs: 1000 });
    ask();
    await clock.advance(1500);
    let closed = false;
    const start: Extract<Answer, { kind: 'stream' }>['start'] = (sink) =>
      sink.onClose(() => {
        closed = true;
      });
    work.resolve({ kind: 'stream', status: 200, headers: {}, start });
    await clock.advance(0);
    expect(closed).toBe(true);
  });

  it('shares one timer with all others, and leaves none behind', async () => {
    const { clock, work, ask } = slowChain();
    for (let i = 0; i < 100; i++) ask();
    expect(clock.pendingTimers).toBe(1);
    work.resolve(OK_ANSWER);
    await clock.advance(1000);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a deadline', () => {
  it('does not apply to synchronous answers and long-running requests', async () => {
    const { handler, clock, dispatched } = testChain();
    expect(bodyText(atOnce(handler(new FakeIncoming())))).toBe('ok');
    expect(clock.pendingTimers).toBe(0);
    const { clock: other, settled, ask, dispatched: watches } = slowChain();
    ask('/api/v1/configmaps?watch=1&timeout=nonsense');
    await other.advance(120_000);
    expect(settled).toEqual([]);
    expect([watches[0]?.longRunning, watches[0]?.deadline]).toEqual([true, Number.POSITIVE_INFINITY]);
    expect([dispatched[0]?.longRunning, dispatched[0]?.deadline]).toEqual([false, 60_000]);
  });

  it('that is malformed is a 400', () => {
    const { handler, dispatched } = testChain();
    expect(bodyJson(atOnce(handler(new FakeIncoming({ target: '/version?timeout=x' }))))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'invalid timeout specified in the request URL - time: invalid duration "x"',
      reason: 'BadRequest',
      code: 400,
    });
    expect(dispatched).toEqual([]);
  });
});
