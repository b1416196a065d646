import { afterEach, describe, expect, it } from 'vitest';
import { objectsAt } from '../../apimachinery/meta/object-fields.ts';
import { Deferred } from '../../base/deferred.ts';
import { TransportError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { SILENT } from '../../base/logger.ts';
import { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import type { OutboundResponse } from '../../server/http/outbound.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';
import { type TestApiServices, testApiServices } from '../aggregator.fixtures.ts';
import type { BackendClient } from '../remote-version.ts';
import { RemoteVersions } from '../remote-versions.ts';
import { AvailabilityLoop } from './availability-loop.ts';

/** A lister whose objects the test sets. */
class TestLister implements Lister {
  readonly objects = new Map<string, JsonObject>();
  readonly #listeners = new Set<(changes: readonly ListerChange[]) => void>();
  starts = 0;

  fresh(): void {
    this.starts++;
  }

  get(namespace: string, name: string): JsonObject | undefined {
    return this.objects.get(`${namespace}/${name}`);
  }

  list(namespace = ''): readonly JsonObject[] {
    return [...this.objects].filter(([key]) => key.startsWith(`${namespace}/`)).map(([, object]) => object);
  }

  subscribe(listener: (changes: readonly ListerChange[]) => void): { stop(): void } {
    this.#listeners.add(listener);
    return { stop: () => void this.#listeners.delete(listener) };
  }

  set(namespace: string, name: string, object: JsonObject | undefined): void {
    if (object === undefined) this.objects.delete(`${namespace}/${name}`);
    else this.objects.set(`${namespace}/${name}`, object);
    for (const listener of this.#listeners) listener([{ namespace, name, object }]);
  }
}

const EXTERNAL = { spec: { type: 'ExternalName', externalName: 'localhost' } };
const URL_OF_DISCOVERY = 'https://localhost:443/apis/bank.example.com/v1';
const REFUSED = `Get "${URL_OF_DISCOVERY}": dial tcp 127.0.0.1:443: connect: connection refused`;

type Backend = () => Promise<number>;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function loopOver(services: TestApiServices, initial: Backend) {
  const test = { backend: initial, requests: 0, running: 0, most: 0 };
  const request: BackendClient['request'] = async (_, { signal }) => {
    test.requests++;
    test.most = Math.max(test.most, ++test.running);
    const aborted = new Deferred<never>();
    signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
    try {
      const status = await Promise.race([test.backend(), aborted.promise]);
      return { status, headers: {}, abort: () => undefined, pipeTo: () => undefined } satisfies OutboundResponse;
    } finally {
      test.running--;
    }
  };
  const apiServices = await services.resource.registry.lister();
  const remotes = new RemoteVersions();
  remotes.follow(apiServices);
  const serviceLister = new TestLister();
  const slices = new TestLister();
  const metrics = new MetricRegistry();
  const loop = new AvailabilityLoop({
    clock: services.clock,
    services: serviceLister,
    endpointSlices: slices,
    resolver: { resolve: (_namespace, _name, port) => ({ host: 'localhost', port }) },
    client: { request, upgrade: () => Promise.reject(new TransportError('no upgrades here')) },
    remotes,
    apiServices,
    writer: services.writer,
    logger: SILENT,
    metrics,
  });
  loop.start();
  stops.push(() => loop.stop());
  return Object.assign(test, { services: serviceLister, slices, metrics });
}

async function condition(services: TestApiServices, name = 'v1.bank.example.com'): Promise<string> {
  const object = (await services.read(name)) ?? {};
  const available = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Available');
  return available === undefined
    ? 'none'
    : `${available['status']} ${available['reason']}: ${available['message']} (${available['lastTransitionTime']})`;
}

const refuse: Backend = () => Promise.reject(new TransportError(REFUSED));
const answer =
  (status: number): Backend =>
  () =>
    Promise.resolve(status);
const hang: Backend = () => new Promise(() => undefined);

describe('AvailabilityLoop', () => {
  it('reads no Service and sends nothing while there is no remote version', async () => {
    const services = testApiServices();
    const test = await loopOver(services, answer(200));
    await services.clock.advance(120_000);
    expect([test.services.starts, test.slices.starts, test.requests]).toEqual([0, 0, 0]);
  });

  it('follows the Service, then asks the backend', async () => {
    const services = testApiServices();
    const test = await loopOver(services, answer(200));
    await services.createRemote('bank.example.com');
    await services.clock.advance(0);
    expect(await condition(services)).toBe(
      'False ServiceNotFound: service/api in "backends" is not present (2030-01-01T00:00:00Z)',
    );
    expect(test.requests).toBe(0);
    await services.clock.advance(7_000);
    test.services.set('backends', 'api', EXTERNAL);
    await services.clock.advance(0);
    expect(await condition(services)).toBe('True Passed: all checks passed (2030-01-01T00:00:07Z)');
    expect(test.requests).toBe(1);
  });

  it('counts in metrics which APIServices are unavailable, and how often each became it', async () => {
    const services = testApiServices();
    const test = await loopOver(services, answer(200));
    const lines = (): string[] =>
      test.metrics
        .print()
        .split('\n')
        .filter((line) => line.startsWith('aggregator_'));
    const gauge = 'aggregator_unavailable_apiservice{name="v1.bank.example.com"}';
    await services.createRemote('bank.example.com');
    await services.clock.advance(0);
    // An APIService that was never available is not counted as lost.
    expect(lines()).toEqual([`${gauge} 1`]);
    test.services.set('backends', 'api', EXTERNAL);
    await services.clock.advance(0);
    expect(lines()).toEqual([`${gauge} 0`]);
    test.services.set('backends', 'api', undefined);
    await services.clock.advance(0);
    const counter = 'aggregator_unavailable_apiservice_total{name="v1.bank.example.com",reason="ServiceNotFound"}';
    expect(lines()).toEqual([`${gauge} 1`, `${counter} 1`]);
  });

  it('repeats a failed request with backoff up to two seconds, and writes the condition once', async () => {
    const services = testApiServices();
    const test = await loopOver(services, refuse);
    test.services.set('backends', 'api', EXTERNAL);
    await services.createRemote('bank.example.com');
    await services.clock.advance(0);
    expect(await condition(services)).toBe(
      `False FailedDiscoveryCheck: failing or missing response from ${URL_OF_DISCOVERY}: ${REFUSED} (2030-01-01T00:00:00Z)`,
    );
    const written = await services.read('v1.bank.example.com');
    await services.clock.advance(60_000);
    const before = test.requests;
    await services.clock.advance(60_000);
    expect(test.requests - before).toBe(30);
    expect(await services.read('v1.bank.example.com')).toEqual(written);
    test.backend = answer(200);
    await services.clock.advance(2_000);
    expect(await condition(services)).toMatch(/^True Passed/);
    const recovered = test.requests;
    await services.clock.advance(60_000);
    expect(test.requests - recovered, 'then every 30 s').toBe(2);
  });

  it('never has more than one check of a hanging backend, and recovers within three seconds', async () => {
    const services = testApiServices();
    const test = await loopOver(services, hang);
    test.services.set('backends', 'api', EXTERNAL);
    await services.createRemote('bank.example.com');
    for (let i = 0; i < 60; i++) {
      test.services.set('backends', 'api', { ...EXTERNAL, metadata: { resourceVersion: `${i}` } });
      await services.clock.advance(1_000);
    }
    expect(test.most).toBeLessThanOrEqual(5);
    expect(await condition(services)).toContain('context deadline exceeded (Client.Timeout exceeded');
    test.backend = answer(200);
    await services.clock.advance(3_000);
    expect(await condition(services)).toMatch(/^True Passed/);
  });

  it('keeps an available backend that fails some requests, and a status outside of 2xx is a failure', async () => {
    const services = testApiServices();
    const test = await loopOver(services, answer(200));
    test.services.set('backends', 'api', EXTERNAL);
    await services.createRemote('bank.example.com');
    await services.clock.advance(0);
    let calls = 0;
    test.backend = () => Promise.resolve(++calls % 5 === 0 ? 200 : 503);
    await services.clock.advance(300_000);
    expect(await condition(services)).toBe('True Passed: all checks passed (2030-01-01T00:00:00Z)');
    test.backend = answer(307);
    await services.clock.advance(30_000);
    expect(await condition(services)).toMatch(
      `False FailedDiscoveryCheck: failing or missing response from ${URL_OF_DISCOVERY}: bad status from ${URL_OF_DISCOVERY}: 307`,
    );
  });

  it('makes a version local again when its service is removed', async () => {
    const services = testApiServices();
    await loopOver(services, answer(200));
    await services.createRemote('bank.example.com');
    await services.clock.advance(0);
    await services.writer.update({ namespace: '', name: 'v1.bank.example.com' }, (object) => {
      const { service: _service, insecureSkipTLSVerify: _skip, ...spec } = object['spec'] as JsonObject;
      object['spec'] = spec;
    });
    await services.clock.advance(0);
    expect(await condition(services)).toMatch(/^True Local: Local APIServices are always available/);
  });

  it('checks again when the spec changes, but not for a change of labels', async () => {
    const services = testApiServices();
    const test = await loopOver(services, answer(200));
    test.services.set('backends', 'api', EXTERNAL);
    await services.createRemote('bank.example.com');
    await services.clock.advance(0);
    const name = { namespace: '', name: 'v1.bank.example.com' };
    await services.writer.update(name, (object) => {
      (object['metadata'] as JsonObject)['labels'] = { a: 'b' };
    });
    await services.clock.advance(0);
    expect(test.requests).toBe(1);
    await services.writer.update(name, (object) => {
      object['spec'] = {
        ...(object['spec'] as JsonObject),
        service: { namespace: 'backends', name: 'other', port: 443 },
      };
    });
    await services.clock.advance(0);
    expect(await condition(services)).toMatch(/^False ServiceNotFound: service\/other/);
  });
});
