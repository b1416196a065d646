import { describe, expect, it } from 'vitest';
import type { Transport, TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import { onAbort } from '../../base/abort.ts';
import { TransportError } from '../../base/errors.ts';
import type { LogFields } from '../../base/logger.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../create-client.ts';
import { json } from '../scripted-transport.fixtures.ts';
import { createEventRecorder, type EventRecorderOptions } from './event-recorder.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
};

type EventObject = Record<string, unknown> & { metadata: { name: string; namespace: string } };

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new VirtualClock();
  const stored = new Map<string, EventObject>();
  const requests: string[] = [];
  const logged: [string, LogFields | undefined][] = [];
  let answer: ((request: TransportRequest) => Promise<TransportResponse>) | undefined;
  const handle = (request: TransportRequest): TransportResponse => {
    const body = JSON.parse(new TextDecoder().decode(request.body)) as EventObject;
    const name = request.target.split('/').pop() ?? '';
    if (request.method === 'POST') {
      stored.set(body.metadata.name, body);
      return json({ ...body, metadata: { ...body.metadata, uid: 'e', resourceVersion: '1' } }, 201);
    }
    const present = stored.get(name);
    if (present === undefined) return json({ kind: 'Status', reason: 'NotFound', code: 404 }, 404);
    const patched = { ...present, ...body };
    stored.set(name, patched as EventObject);
    return json(patched);
  };
  const transport: Transport = async (request) => {
    requests.push(`${request.method} ${request.target.replace(/^.*namespaces/, '')}`);
    return answer === undefined ? handle(request) : answer(request);
  };
  const log = (message: string, fields?: LogFields): void => void logged.push([message, fields]);
  const recorder = createEventRecorder({
    client: createClient(transport),
    component: 'shop-operator',
    host: 'node-1',
    clock,
    random: () => 0.5,
    logger: { debug: () => undefined, info: () => undefined, warn: log, error: (message) => log(message) },
    ...options,
  });
  return {
    clock,
    stored,
    requests,
    logged,
    recorder,
    answerWith: (next: typeof answer): void => {
      answer = next;
    },
  };
}

function refuse(code: number, reason: string): () => Promise<TransportResponse> {
  return async () => json({ kind: 'Status', status: 'Failure', reason, code, message: reason }, code);
}

describe('a recorder', () => {
  it('writes a core/v1 Event that names the object and the program', async () => {
    const { recorder, stored, requests } = setUp();
    recorder.normal(POD, 'Scaled', 'scaled to 3', { fieldPath: 'spec.replicas', annotations: { by: 'test' } });
    await recorder.flush();
    expect(requests).toEqual(['POST /shop/events']);
    const [event] = [...stored.values()];
    expect(event?.metadata.name).toBe(`web.${(BigInt(Date.UTC(2030, 0, 1)) * 1_000_000n).toString(16)}`);
    expect(event).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'shop', annotations: { by: 'test' } },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'web',
        namespace: 'shop',
        uid: 'u1',
        resourceVersion: '7',
        fieldPath: 'spec.replicas',
      },
      reason: 'Scaled',
      message: 'scaled to 3',
      type: 'Normal',
      count: 1,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      source: { component: 'shop-operator', host: 'node-1' },
      reportingComponent: 'shop-operator',
      reportingInstance: 'node-1',
    });
  });

  it('increases the count of a repeated event by a patch', async () => {
    const { recorder, stored, requests, clock } = setUp();
    recorder.warning(POD, 'Failed', 'no image');
    await clock.advance(2_000);
    recorder.warning(POD, 'Failed', 'no image');
    recorder.warning(POD, 'Failed', 'no image');
    await recorder.flush();
    expect(requests.map((line) => line.split(' ')[0])).toEqual(['POST', 'PATCH', 'PATCH']);
    expect([...stored.values()]).toMatchObject([
      { count: 3, type: 'Warning', firstTimestamp: '2030-01-01T00:00:00Z', lastTimestamp: '2030-01-01T00:00:02Z' },
    ]);
  });

  it('creates an Event that has expired again, with the count so far', async () => {
    const { recorder, stored, requests } = setUp();
    recorder.normal(POD, 'Synced', 'done');
    await recorder.flush();
    stored.clear();
    recorder.normal(POD, 'Synced', 'done');
    await recorder.flush();
    expect(requests.map((line) => line.split(' ')[0])).toEqual(['POST', 'PATCH', 'POST']);
    expect([...stored.values()]).toMatchObject([{ count: 2 }]);
  });

  it('gives events of one moment names of their own', async () => {
    const { recorder, stored } = setUp();
    for (const message of ['a', 'b', 'c']) recorder.normal(POD, 'R', message);
    await recorder.flush();
    expect(stored.size).toBe(3);
  });

  it('writes events about cluster-scoped objects, and about names that no Event can have', async () => {
    const { recorder, stored, requests } = setUp();
    recorder.normal({ apiVersion: 'v1', kind: 'ClusterRole', metadata: { name: 'system:node' } }, 'R', 'm');
    await recorder.flush();
    expect(requests).toEqual(['POST /default/events']);
    expect([...stored.keys()][0]).toMatch(/^event\.[0-9a-f]+$/);
    expect([...stored.values()][0]?.['involvedObject']).toEqual({
      apiVersion: 'v1',
      kind: 'ClusterRole',
      name: 'system:node',
    });
  });

  it('drops events beyond its bound, and logs that once', async () => {
    const { recorder, stored, logged } = setUp({ maxQueued: 3 });
    for (let i = 0; i < 10; i++) recorder.normal(POD, `R${i}`, 'm');
    await recorder.flush();
    expect(stored.size).toBe(3);
    expect(logged).toEqual([
      ['events are dropped: too many wait', { waiting: 3 }],
      ['events were dropped: too many waited', { events: 7 }],
    ]);
  });
});

describe('a failure', () => {
  it('of the connection is retried, after a random part of ten seconds and then every ten', async () => {
    const { recorder, stored, requests, answerWith, clock, logged } = setUp();
    answerWith(async () => Promise.reject(new TransportError('refused')));
    recorder.normal(POD, 'R', 'm');
    recorder.normal(POD, 'Next', 'm');
    await clock.advance(4_999);
    expect(requests.length).toBe(1);
    await clock.advance(1);
    expect(requests.length).toBe(2);
    answerWith(undefined);
    await clock.advance(10_000);
    expect(stored.size).toBe(2);
    expect(logged).toEqual([]);
  });

  it('of the connection is given up after twelve tries, and the next event is tried', async () => {
    const { recorder, requests, answerWith, clock, logged } = setUp();
    answerWith(async () => Promise.reject(new TransportError('refused')));
    recorder.normal(POD, 'R', 'm');
    await clock.advance(200_000);
    expect(requests.length).toBe(12);
    expect(logged).toEqual([
      ['cannot write an event', { reason: 'R', kind: 'Pod', name: 'web', error: 'refused', tries: 12 }],
    ]);
  });

  it('by refusal is not retried', async () => {
    const { recorder, requests, answerWith, logged } = setUp();
    answerWith(refuse(403, 'Forbidden'));
    recorder.normal(POD, 'R', 'm');
    await recorder.flush();
    expect(requests.length).toBe(1);
    expect(logged.map(([message]) => message)).toEqual(['cannot write an event']);
  });

  it('of a server that has no time is retried', async () => {
    const { recorder, stored, answerWith, clock } = setUp();
    answerWith(refuse(429, 'TooManyRequests'));
    recorder.normal(POD, 'R', 'm');
    await settle();
    answerWith(undefined);
    await clock.advance(5_000);
    expect(stored.size).toBe(1);
  });

  it.each([
    ['an Event that exists', refuse(409, 'AlreadyExists')],
    [
      'a namespace that is being deleted',
      async () =>
        json(
          {
            kind: 'Status',
            status: 'Failure',
            reason: 'Forbidden',
            code: 403,
            details: { causes: [{ reason: 'NamespaceTerminating', message: 'x', field: 'metadata.namespace' }] },
          },
          403,
        ),
    ],
  ])('by %s is no problem', async (_, answer) => {
    const { recorder, answerWith, logged } = setUp();
    answerWith(answer);
    recorder.normal(POD, 'R', 'm');
    await recorder.flush();
    expect(logged).toEqual([]);
  });

  it('of a request that hangs ends after ten seconds', async () => {
    const { recorder, stored, answerWith, clock } = setUp();
    answerWith((request) => new Promise((_, reject) => onAbort(request.signal, reject)));
    recorder.normal(POD, 'R', 'm');
    await clock.advance(10_000);
    answerWith(undefined);
    await clock.advance(5_000);
    expect(stored.size).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a stop', () => {
  it('writes what waits and accepts nothing more', async () => {
    const { recorder, stored, clock } = setUp();
    recorder.normal(POD, 'A', 'm');
    recorder.normal(POD, 'B', 'm');
    await recorder.stop();
    recorder.normal(POD, 'C', 'm');
    await settle();
    expect(stored.size).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the wait for a retry, and tries each event once', async () => {
    const { recorder, requests, answerWith, clock } = setUp();
    answerWith(async () => Promise.reject(new TransportError('refused')));
    recorder.normal(POD, 'A', 'm');
    recorder.normal(POD, 'B', 'm');
    await clock.advance(1);
    await recorder.stop();
    expect(requests.length).toBe(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends after five seconds if requests hang, and drops the rest', async () => {
    const { recorder, answerWith, clock, logged } = setUp();
    answerWith((request) => new Promise((_, reject) => onAbort(request.signal, reject)));
    for (const reason of ['A', 'B', 'C']) recorder.normal(POD, reason, 'm');
    let stopped = false;
    void recorder.stop().then(() => {
      stopped = true;
    });
    await clock.advance(4_999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    expect(stopped).toBe(true);
    expect(logged.map(([message, fields]) => [message, fields?.['events']])).toEqual([
      ['cannot write an event', undefined],
      ['events are dropped: the recorder stopped', 2],
    ]);
  });
});
