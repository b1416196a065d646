import { afterEach, describe, expect, it } from 'vitest';
import { META_TYPE_VIEWS } from '../apimachinery/facts/meta-type-views.ts';
import { isStatusError, statusOf } from '../apimachinery/status/status.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { TransportError } from '../base/errors.ts';
import { SILENT } from '../base/logger.ts';
import { isPromise } from '../base/maybe-promise.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { DiscoveryManager } from '../server/discovery/discovery-manager.ts';
import type { Answer } from '../server/http/exchange.ts';
import { requestOf } from '../server/http/requests.fixtures.ts';
import { OpenApiManager } from '../server/openapi/openapi-manager.ts';
import type { Lister } from '../server/own/lister.ts';
import { type TestApiServices, testApiServices } from './aggregator.fixtures.ts';
import { AggregatorServer } from './aggregator-server.ts';
import { testBackend } from './backend.fixtures.ts';
import type { BackendClient } from './remote-version.ts';

const answerOf = (text: string): Answer => ({ kind: 'bytes', status: 200, headers: {}, body: encodeUtf8(text) });

const NO_OBJECTS: Lister = {
  fresh: () => undefined,
  get: () => undefined,
  list: () => [],
  subscribe: () => ({ stop: () => undefined }),
};
const refuse = (): never => {
  throw new TransportError('no backend here');
};

const servers: AggregatorServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

function aggregator(
  { resource, clock }: TestApiServices,
  client: BackendClient = { request: refuse, upgrade: refuse },
): AggregatorServer {
  const server = new AggregatorServer({
    clock,
    logger: SILENT,
    metrics: new MetricRegistry(),
    apiServices: resource,
    discovery: new DiscoveryManager(),
    openapi: new OpenApiManager({ clock, types: META_TYPE_VIEWS }),
    published: () => Promise.resolve(),
    services: NO_OBJECTS,
    endpointSlices: NO_OBJECTS,
    resolver: { resolve: refuse },
    client,
    proxy: (_, to) => answerOf(`proxied to ${to.name}`),
    delegate: () => answerOf('local'),
  });
  servers.push(server);
  return server;
}

/** Returns the text of the answer; for a refusal, its code and its message. */
async function ask(server: AggregatorServer, target: string): Promise<string> {
  try {
    const answer = await server.handle(requestOf(target));
    return answer.kind === 'bytes' ? new TextDecoder().decode(answer.body) : answer.kind;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const { code, message } = statusOf(error) ?? {};
    return `${code} ${message}`;
  }
}

describe('AggregatorServer', () => {
  it('answers local requests without a promise', async () => {
    const server = aggregator(testApiServices());
    await server.start();
    expect(isPromise(server.handle(requestOf('/apis/apps/v1/deployments')))).toBe(false);
  });

  it('holds requests until the APIServices are read', async () => {
    const services = testApiServices();
    await services.createRemote('bank.example.com');
    const server = aggregator(services);
    const answer = ask(server, '/apis/bank.example.com/v1/accounts');
    await server.start();
    expect(await answer).toMatch(/^503 /);
  });

  it('has discovered its versions when the servers of all available ones have been asked', async () => {
    const services = testApiServices();
    await services.createRemote('bank.example.com');
    await services.setAvailable('v1.bank.example.com', 'True', 'Passed');
    const backend = testBackend(() => new TransportError('connection refused'));
    const server = aggregator(services, backend);
    const seen = server.discovered().then(() => [...backend.seen]);
    await server.start();
    expect(await seen).toContain('GET /apis');
  });

  it('has discovered its versions at once if none of them is available', async () => {
    const services = testApiServices();
    await services.createRemote('bank.example.com');
    const server = aggregator(services);
    await server.start();
    await server.discovered();
  });

  it('routes by the group-version of an APIService in the request after its write', async () => {
    const services = testApiServices();
    const server = aggregator(services);
    await server.start();
    expect(await ask(server, '/apis/bank.example.com/v1/accounts')).toBe('local');
    await services.createRemote('bank.example.com');
    expect(await ask(server, '/apis/bank.example.com/v1/accounts')).toBe(
      '503 the server of APIService v1.bank.example.com is unavailable',
    );
    await services.setAvailable('v1.bank.example.com', 'True', 'Passed');
    expect(await ask(server, '/apis/bank.example.com/v1/accounts')).toBe('proxied to v1.bank.example.com');
    await services.setAvailable('v1.bank.example.com', 'False', 'MissingEndpoints');
    expect(await ask(server, '/apis/bank.example.com/v1/accounts')).toBe(
      '503 the server of APIService v1.bank.example.com is unavailable (MissingEndpoints)',
    );
    await services.writer.delete({ namespace: '', name: 'v1.bank.example.com' });
    expect(await ask(server, '/apis/bank.example.com/v1/accounts')).toBe('local');
  });

  it.each([
    ['/apis/bank.example.com/v1', 'proxied to v1.bank.example.com'],
    ['/apis/bank.example.com/v1/', 'proxied to v1.bank.example.com'],
    ['/apis/bank.example.com/v1/namespaces/a/accounts/b/transfer', 'proxied to v1.bank.example.com'],
    ['/apis/bank.example.com/v2', 'local'],
    ['/apis/bank.example.com', 'local'],
    ['/apis/example.com/v1/accounts', 'local'],
    ['/apis', 'local'],
    ['/api/v1', 'local'],
    ['/bank.example.com/v1', 'local'],
  ])('%s is %s', async (target, expected) => {
    const services = testApiServices();
    await services.createRemote('bank.example.com');
    await services.setAvailable('v1.bank.example.com', 'True', 'Passed');
    const server = aggregator(services);
    await server.start();
    expect(await ask(server, target)).toBe(expected);
  });
});
