import { describe, expect, it } from 'vitest';
import { isStatusError, statusOf } from '../../apimachinery/status/status.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import type { OutboundAnswer, OutboundCall, ServiceResolver } from '../../server/http/outbound.ts';
import type { Crd, CrdWebhook } from '../crd.ts';
import { webhookConverter } from './webhook-converter.ts';

const URL_WEBHOOK: CrdWebhook = {
  url: 'https://127.0.0.1:9443/convert',
  service: undefined,
  caBundle: '',
  conversionReviewVersions: ['v2', 'v1'],
};

const CRD = { group: 'stable.example.com', names: { kind: 'CronTab' } } as Crd;

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: JsonObject[] };
}

const SERVICES: ServiceResolver = {
  resolve: (_namespace, name, port) => ({ host: `address-of-${name}`, port: port + 1 }),
};

/** A webhook that answers with the result of `respond` on the review. */
function convertWith(
  respond: (review: Review) => unknown,
  webhook: CrdWebhook = URL_WEBHOOK,
  services: ServiceResolver = SERVICES,
) {
  const calls: OutboundCall[] = [];
  const converter = webhookConverter(CRD, webhook, {
    client: {
      post: async (call): Promise<OutboundAnswer> => {
        calls.push(call);
        const answer = respond(JSON.parse(decodeUtf8(call.body)) as Review);
        if (answer instanceof Error) throw answer;
        if (typeof answer === 'number') return { status: answer, body: encodeUtf8('down for repairs') };
        return { status: 200, body: encodeUtf8(typeof answer === 'string' ? answer : JSON.stringify(answer)) };
      },
    },
    services,
    newUid: () => 'the-uid',
  });
  return { calls, convert: (...objects: JsonObject[]) => Promise.resolve(converter.convert(objects, 'v1beta1', 'v1')) };
}

function cronTab(name: string, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'stable.example.com/v1beta1',
    kind: 'CronTab',
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, labels: { a: 'b' }, resourceVersion: '7' },
    ...more,
  };
}

function success(review: Review, change: (object: JsonObject) => void = () => undefined): unknown {
  const convertedObjects = review.request.objects.map((object) => {
    const copy = cloneJson(object);
    copy['apiVersion'] = review.request.desiredAPIVersion;
    change(copy);
    return copy;
  });
  return {
    kind: 'ConversionReview',
    apiVersion: review.apiVersion,
    response: { uid: review.request.uid, result: { status: 'Success' }, convertedObjects },
  };
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(isStatusError(error)).toBe(true);
  expect(statusOf(error)?.code).toBe(500);
  return statusOf(error)?.message ?? '';
}

describe('a conversion webhook', () => {
  it('passes the CA bundle on, and never an empty one instead of it', async () => {
    const call = async (caBundle: string): Promise<string | undefined> => {
      const { calls, convert } = convertWith(success, { ...URL_WEBHOOK, caBundle });
      await convert(cronTab('a'));
      return calls[0]?.ca;
    };
    expect(await call('')).toBe('');
    expect(await call('aGVsbG8K')).toBe('hello\n');
    // A newline. The client refuses it; an empty bundle would mean the authorities of the system.
    expect(await call('Cg==')).toBe('\n');
    const { calls, convert } = convertWith(success, { ...URL_WEBHOOK, caBundle: '!' });
    expect(await messageOf(convert(cronTab('a')))).toContain('unable to load root certificates');
    expect(calls).toEqual([]);
  });

  it('gets all objects in one review, in the first version that both sides support', async () => {
    const { calls, convert } = convertWith((review) =>
      success(review, (object) => (object['spec'] = { converted: true })),
    );
    const converted = await convert(cronTab('a'), cronTab('b'));
    expect(converted.map((object) => [object['apiVersion'], object['spec']])).toEqual([
      ['stable.example.com/v1', { converted: true }],
      ['stable.example.com/v1', { converted: true }],
    ]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.url).toBe('https://127.0.0.1:9443/convert?timeout=30s');
    expect(JSON.parse(decodeUtf8(calls[0]?.body as Uint8Array))).toMatchObject({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'the-uid', desiredAPIVersion: 'stable.example.com/v1', objects: [cronTab('a'), cronTab('b')] },
    });
  });

  it('is called through its Service, by the name of the Service', async () => {
    const service = { namespace: 'tools', name: 'hook', path: '/c', port: 443 };
    const { calls, convert } = convertWith(success, { ...URL_WEBHOOK, url: undefined, service });
    await convert(cronTab('a'));
    expect(calls[0]).toMatchObject({
      url: 'https://hook.tools.svc:443/c?timeout=30s',
      address: { host: 'address-of-hook', port: 444 },
    });
  });

  it('is named by its address if its Service does not exist', async () => {
    const service = { namespace: 'tools', name: 'hook', path: '', port: 443 };
    const services = { resolve: () => Promise.reject(new Error('service "hook" not found')) };
    const { convert } = convertWith(success, { ...URL_WEBHOOK, url: undefined, service }, services);
    expect(await messageOf(convert(cronTab('a')))).toBe(
      'conversion webhook for stable.example.com/v1beta1, Kind=CronTab failed: Post "https://hook.tools.svc:443/?timeout=30s": service "hook" not found',
    );
  });

  it('may change labels and annotations, but no other metadata', async () => {
    const { convert } = convertWith((review) =>
      success(review, (object) => {
        const metadata = object['metadata'] as JsonObject;
        metadata['labels'] = { new: 'label' };
        metadata['annotations'] = { note: 'x' };
        metadata['resourceVersion'] = '99';
        metadata['finalizers'] = ['sneaky'];
      }),
    );
    const [converted] = await convert(cronTab('a'));
    expect(converted?.['metadata']).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-a',
      resourceVersion: '7',
      labels: { new: 'label' },
      annotations: { note: 'x' },
    });
  });

  it('removes labels by leaving them out', async () => {
    const { convert } = convertWith((review) =>
      success(review, (object) => delete (object['metadata'] as JsonObject)['labels']),
    );
    expect((await convert(cronTab('a')))[0]?.['metadata']).not.toHaveProperty('labels');
  });

  it.each([
    ['name', 'z', 'must have the same name: a != z'],
    ['namespace', 'z', 'must have the same namespace: ns != z'],
    ['uid', 'z', 'must have the same UID: uid-a != z'],
    ['labels', { x: 1 }, 'metadata.labels[x] must be a string in converted object'],
  ])('fails the request if it changes %s', async (field, value, message) => {
    const { convert } = convertWith((review) =>
      success(review, (object) => ((object['metadata'] as Record<string, unknown>)[field] = value)),
    );
    expect(await messageOf(convert(cronTab('a')))).toBe(
      `conversion webhook for stable.example.com/v1beta1, Kind=CronTab returned invalid object: ${message}`,
    );
  });

  it('fails the request if it returns invalid labels', async () => {
    const { convert } = convertWith((review) =>
      success(review, (object) => ((object['metadata'] as JsonObject)['labels'] = { 'a b': 'c' })),
    );
    expect(await messageOf(convert(cronTab('a')))).toContain('metadata.labels: Invalid value: "a b"');
  });

  it.each<[string, (review: Review) => unknown, string]>([
    ['cannot be reached', () => new Error('Post "x": dial tcp 1: connect: connection refused'), 'connection refused'],
    ['answers with a failure', () => 503, 'down for repairs'],
    ['answers with nonsense', () => '<html>', 'json parse error'],
    [
      'answers with another kind',
      (review) => ({ ...(success(review) as object), kind: 'Pod' }),
      'expected webhook response',
    ],
    ['says nothing', (review) => ({ kind: 'ConversionReview', apiVersion: review.apiVersion }), 'no response provided'],
    [
      'answers another request',
      (review) => ({ kind: 'ConversionReview', apiVersion: review.apiVersion, response: { uid: 'other' } }),
      'expected response.uid="the-uid", got "other"',
    ],
    [
      'refuses',
      ({ apiVersion, request: { uid } }) => ({
        kind: 'ConversionReview',
        apiVersion,
        response: { uid, result: { status: 'Failed', message: 'I will not' } },
      }),
      'failed: I will not',
    ],
    ['keeps the version', (review) => success(review, (object) => (object['apiVersion'] = 'x/v9')), 'received x/v9'],
    [
      'loses an object',
      (review) => success({ ...review, request: { ...review.request, objects: [] } }),
      'returned 0 objects, expected 1',
    ],
  ])('fails the request if it %s', async (_what, respond, part) => {
    const message = await messageOf(convertWith(respond).convert(cronTab('a')));
    expect(message).toContain('conversion webhook for stable.example.com/v1beta1, Kind=CronTab ');
    expect(message).toContain(part);
  });

  it('may leave out kind and uid in a v1beta1 answer, as in kube-apiserver', async () => {
    const webhook = { ...URL_WEBHOOK, conversionReviewVersions: ['v1beta1'] };
    const { convert } = convertWith((review) => {
      const answer = success(review) as { kind: string; response: { uid: string } };
      answer.kind = '';
      answer.response.uid = '';
      return answer;
    }, webhook);
    expect(await convert(cronTab('a'))).toHaveLength(1);
  });

  it('is not called if no review version is supported', async () => {
    const { calls, convert } = convertWith(success, { ...URL_WEBHOOK, conversionReviewVersions: ['v7'] });
    expect(await messageOf(convert(cronTab('a')))).toContain('no supported conversion review versions');
    expect(calls).toEqual([]);
  });

  it('has a limit for the size of answers and of messages', async () => {
    const { calls, convert } = convertWith((review) => ({
      ...(success(review) as JsonObject),
      response: { uid: review.request.uid, result: { status: 'Failed', message: 'x'.repeat(1_000_000) } },
    }));
    const failure = await convert(cronTab('a')).catch((caught: unknown) => caught);
    expect((failure as Error).message.length).toBeLessThan(20_000);
    expect(calls[0]?.answerBytes).toBeLessThan(9 * 1024 * 1024);
  });
});
