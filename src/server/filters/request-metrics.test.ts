import { describe, expect, it } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { InFlightGate } from '../in-flight.ts';
import { registerServerMetrics } from '../metrics/server-metrics.ts';
import type { ChainConfig } from './filter-chain.ts';
import { authorizerOf, FakeIncoming, type FakeRequest, FakeSink, OK_ANSWER, testChain } from './filters.fixtures.ts';

function measured(changes: Partial<ChainConfig> = {}) {
  const registry = new MetricRegistry();
  const chain = testChain({ metrics: registerServerMetrics(registry), ...changes });
  const ask = async (request: FakeRequest = {}) => chain.handler(new FakeIncoming(request));
  /** Lines of one metric. */
  const linesOf = (name: string): string[] =>
    registry
      .print()
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`));
  return { ...chain, ask, linesOf };
}

const labels = (subset: Readonly<Record<string, string>>): string =>
  Object.entries({
    code: '200',
    component: 'apiserver',
    dry_run: '',
    group: '',
    resource: '',
    scope: '',
    subresource: '',
    verb: 'GET',
    version: '',
    ...subset,
  })
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');

describe('request metrics', () => {
  it.each<[FakeRequest, Readonly<Record<string, string>>]>([
    [{ target: '/api/v1/namespaces/a/pods/p' }, { resource: 'pods', version: 'v1', scope: 'resource' }],
    [
      { target: '/apis/apps/v1/deployments' },
      { group: 'apps', resource: 'deployments', version: 'v1', scope: 'cluster', verb: 'LIST' },
    ],
    [
      { target: '/api/v1/namespaces/a/pods', method: 'POST' },
      { resource: 'pods', version: 'v1', scope: 'resource', verb: 'POST' },
    ],
    [
      { target: '/api/v1/namespaces/a/pods/p/exec', method: 'POST' },
      { resource: 'pods', version: 'v1', scope: 'resource', subresource: 'exec', verb: 'CONNECT' },
    ],
    [
      {
        target: '/api/v1/namespaces/a/pods/p?dryRun=All',
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
      },
      { resource: 'pods', version: 'v1', scope: 'resource', verb: 'APPLY', dry_run: 'All' },
    ],
    [{ target: '/healthz?dryRun=x' }, { subresource: '/healthz', dry_run: 'invalid' }],
  ])('count %j', async (request, expected) => {
    const { ask, linesOf } = measured({ connectSubresources: ['exec'] });
    await ask(request);
    await ask(request);
    expect(linesOf('apiserver_request_total')).toEqual([`apiserver_request_total{${labels(expected)}} 2`]);
  });

  it('distinguish requests by every label', async () => {
    const { ask, linesOf } = measured();
    const base = '/api/v1/namespaces/a/pods';
    for (const target of [`${base}/p`, `${base}/p?dryRun=All`, `${base}/p/status`, base, '/api/v1/pods'])
      await ask({ target });
    for (const target of ['/api/v2/pods/p', '/apis/x/v1/pods/p', '/healthz', '/livez']) await ask({ target });
    expect(linesOf('apiserver_request_total').map((line) => line.at(-1))).toEqual(new Array(9).fill('1'));
  });

  it('count errors by the code of their Status, with their duration', async () => {
    const { ask, linesOf, clock } = measured({
      dispatch: async () => {
        await clock.advance(30);
        throw new StatusError(notFound({ group: '', resource: 'configmaps' }, 'x'));
      },
    });
    await ask();
    expect(linesOf('apiserver_request_total')[0]).toContain('code="404"');
    expect(linesOf('apiserver_request_duration_seconds_sum')[0]).toMatch(/ 0\.03$/);
  });

  it('have the sizes of answers to reads', async () => {
    const { ask, linesOf } = measured();
    await ask();
    await ask({ method: 'DELETE' });
    expect(linesOf('apiserver_response_sizes_sum')).toHaveLength(1);
    expect(linesOf('apiserver_response_sizes_sum')[0]).toMatch(/verb="GET".* 2$/);
  });

  it('do not count requests that reached no endpoint, nor names that clients make up', async () => {
    const refused = measured({ authorizer: authorizerOf(() => false) });
    await refused.ask();
    expect(refused.linesOf('apiserver_request_total')).toEqual([]);
    let asked = 0;
    const { ask, linesOf } = measured({
      isServed: ({ resource }) => {
        asked++;
        return resource === 'configmaps';
      },
    });
    for (let i = 0; i < 3; i++) await ask({ target: `/api/v1/made-up-${i}` });
    for (let i = 0; i < 3; i++) await ask();
    expect(linesOf('apiserver_request_total').map((line) => line.at(-1))).toEqual(['3']);
    expect(asked).toBe(4);
  });

  it('count requests that flow control refuses', async () => {
    const { ask, linesOf } = measured({ gate: full() });
    await ask();
    expect(linesOf('apiserver_request_total')[0]).toContain('code="429"');
    expect(linesOf('apiserver_request_terminations_total')[0]).toMatch(/code="429".*resource="configmaps".* 1$/);
  });

  it('count a watch from its start to its end', async () => {
    const { ask, linesOf, clock } = measured({
      dispatch: () => ({ kind: 'stream', status: 200, headers: {}, start: () => undefined }),
    });
    const answer = await ask({ target: '/api/v1/configmaps?watch=1' });
    const sink = new FakeSink();
    if (answer.kind === 'stream') answer.start(sink);
    expect(linesOf('apiserver_longrunning_requests')[0]).toMatch(/verb="WATCH".* 1$/);
    expect(linesOf('apiserver_request_total')).toEqual([]);
    await clock.advance(2000);
    sink.leave();
    expect(linesOf('apiserver_longrunning_requests')[0]).toMatch(/ 0$/);
    expect(linesOf('apiserver_request_total')[0]).toMatch(/verb="WATCH".* 1$/);
    expect(linesOf('apiserver_request_duration_seconds_sum')[0]).toMatch(/ 2$/);
  });

  it('do not count a WebSocket whose handshake failed', async () => {
    const { ask, linesOf, gate } = measured({
      dispatch: () => ({ kind: 'websocket', headers: {}, protocols: [], start: () => undefined }),
    });
    const answer = await ask({ target: '/api/v1/configmaps?watch=1' });
    expect([linesOf('apiserver_longrunning_requests'), gate.count('longRunning')]).toEqual([[], 0]);
    let close: () => void = () => undefined;
    if (answer.kind === 'websocket')
      answer.start({
        protocol: '',
        send: () => true,
        onDrain: () => undefined,
        onMessage: () => undefined,
        close: () => undefined,
        onClose: (listener) => {
          const before = close;
          close = () => {
            before();
            listener();
          };
        },
      });
    expect(gate.count('longRunning')).toBe(1);
    close();
    expect(gate.count('longRunning')).toBe(0);
    expect(linesOf('apiserver_request_total')[0]).toContain('code="101"');
  });
});

it('an upgraded connection counts as long-running until it closes', async () => {
  const { ask, linesOf, gate } = measured({
    dispatch: () => ({ kind: 'tunnel', headers: {}, protocol: 'test', start: () => undefined }),
  });
  const answer = await ask({ target: '/api/v1/configmaps?watch=1' });
  expect(gate.count('longRunning')).toBe(0);
  const sink = new FakeSink();
  if (answer.kind === 'tunnel')
    answer.start({
      write: (chunks) => sink.write(chunks),
      onDrain: () => sink.onDrain(),
      end: () => sink.end(),
      abort: () => sink.abort(),
      onClose: (listener) => sink.onClose(listener),
      pipeTo: () => undefined,
    });
  expect(gate.count('longRunning')).toBe(1);
  sink.leave();
  expect(gate.count('longRunning')).toBe(0);
  expect(linesOf('apiserver_request_total')[0]).toContain('code="101"');
});

function full(): InFlightGate {
  const gate = new InFlightGate({ readOnly: 1 });
  gate.acquire('readOnly', false);
  return gate;
}

it('an answer is not changed if there are no metrics', async () => {
  const { ask } = measured({ metrics: undefined as never });
  const answer = await ask();
  expect(answer.kind === 'bytes' && OK_ANSWER.kind === 'bytes' && answer.body === OK_ANSWER.body).toBe(true);
});
