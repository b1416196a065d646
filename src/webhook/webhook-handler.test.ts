import { describe, expect, it } from 'vitest';
import type { JsonPatch } from '../apimachinery/patch/json-patch-decode.ts';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import { SILENT } from '../base/logger.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { draft } from '../client/draft.ts';
import { untypedKind } from '../client/untyped-kind.ts';
import { ConfigMap, Pod } from '../kinds/api/core/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import { inProcess } from '../server/http/in-process.ts';
import { type AdmissionContext, converting, mutating, spoke, validating } from './hooks.ts';
import { denied } from './problem.ts';
import { webhookHandler } from './webhook-handler.ts';
import type { Webhooks } from './webhook-server.ts';

const clock = new VirtualClock();

function send(
  hooks: Partial<Webhooks>,
  target: string,
  body: unknown,
  { method = 'POST', contentType = 'application/json', maxBodyBytes = undefined as number | undefined } = {},
): Promise<{ readonly status: number; readonly body: JsonObject; readonly text: string }> {
  const handler = webhookHandler({ name: 'guard.example.com', ...hooks }, { clock, logger: SILENT, maxBodyBytes });
  const bytes = encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body));
  return inProcess(handler)({ method, target, headers: { 'content-type': contentType }, body: bytes }).then(
    (answer) => {
      const text = decodeUtf8(answer.body as Uint8Array);
      return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {}, text };
    },
  );
}

const POD = {
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
};

function review(request: JsonObject = {}, version = 'v1'): JsonObject {
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid: 'u-1',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      name: 'web',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'ann', groups: ['system:authenticated'], extra: { scopes: ['a', 'b'] } },
      object: POD,
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions' },
      ...request,
    },
  };
}

function patchOf(body: JsonObject): JsonPatch {
  return JSON.parse(atob((body['response'] as JsonObject)['patch'] as string)) as JsonPatch;
}

describe('a mutating hook', () => {
  it('returns the changed object, and the answer is the patch', async () => {
    const label = mutating(Pod, ({ object }) => {
      const pod = draft(object);
      pod.metadata = { ...pod.metadata, labels: { ...pod.metadata?.labels, team: 'a' } };
      return pod;
    });
    for (const version of ['v1', 'v1beta1']) {
      const { status, body } = await send({ mutate: [label] }, '/mutate/pods', review({}, version));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        kind: 'AdmissionReview',
        apiVersion: `admission.k8s.io/${version}`,
        response: { uid: 'u-1', allowed: true, patchType: 'JSONPatch' },
      });
      expect(patchOf(body)).toEqual([{ op: 'add', path: '/metadata/labels/team', value: 'a' }]);
    }
  });

  it('changes nothing with undefined, the same object, or an equal one', async () => {
    for (const run of [
      () => undefined,
      ({ object }: AdmissionContext<Pod>) => object,
      ({ object }: AdmissionContext<Pod>) => draft(object),
    ]) {
      const { body } = await send({ mutate: [mutating(Pod, run as () => undefined)] }, '/mutate/pods', review());
      expect(body['response']).toEqual({ uid: 'u-1', allowed: true });
    }
  });

  it('removes fields that it sets to undefined', async () => {
    const strip = mutating(Pod, ({ object }) => {
      const pod = draft(object);
      return { ...pod, metadata: { ...pod.metadata, labels: undefined } } as unknown as Pod;
    });
    const { body } = await send({ mutate: [strip] }, '/mutate/pods', review());
    expect(patchOf(body)).toEqual([{ op: 'remove', path: '/metadata/labels' }]);
  });

  it('gets a frozen object and the facts of the request', async () => {
    let seen: AdmissionContext<Pod> | undefined;
    const look = mutating(Pod, (context) => {
      seen = context;
      return undefined;
    });
    await send({ mutate: [look] }, '/mutate/pods?timeout=10s', review({ operation: 'UPDATE', oldObject: POD }));
    expect(seen).toMatchObject({
      operation: 'UPDATE',
      name: 'web',
      namespace: 'default',
      subresource: '',
      dryRun: true,
      uid: 'u-1',
      user: { name: 'ann', uid: '', groups: ['system:authenticated'], extra: { scopes: ['a', 'b'] } },
      oldObject: POD,
      options: { kind: 'CreateOptions' },
    });
    expect(Object.isFrozen(seen?.object.metadata?.labels)).toBe(true);
    expect(Object.isFrozen(seen?.oldObject?.spec)).toBe(true);
  });

  it('has a signal that aborts at the timeout of the webhook', async () => {
    const wait = mutating(
      Pod,
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(denied(String(signal.reason), { code: 504 })));
        }),
    );
    const answer = send({ mutate: [wait] }, '/mutate/pods?timeout=3s', review());
    await clock.advance(2_999);
    await clock.advance(1);
    expect((await answer).body['response']).toMatchObject({
      allowed: false,
      status: { code: 504, message: 'AbortError: the timeout of the webhook has passed' },
    });
  });
});

describe('a validating hook', () => {
  it('turns problems into an Invalid with a cause for each', async () => {
    const check = validating(Pod, () => [
      { field: 'spec.containers[0].image', message: 'must name a registry' },
      { field: 'metadata.labels[app]', message: '', code: 'FieldValueForbidden' },
      { field: 'spec.nodeName', message: 'is required', code: 'FieldValueRequired' },
    ]);
    const { body } = await send({ validate: [check] }, '/validate/pods', review());
    expect(body['response']).toEqual({
      uid: 'u-1',
      allowed: false,
      status: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'Pod "web" is invalid: [spec.containers[0].image: Invalid value: "nginx": must name a registry, ' +
          'metadata.labels[app]: Forbidden, spec.nodeName: Required value: is required]',
        reason: 'Invalid',
        details: {
          name: 'web',
          kind: 'Pod',
          causes: [
            {
              reason: 'FieldValueInvalid',
              message: 'Invalid value: "nginx": must name a registry',
              field: 'spec.containers[0].image',
            },
            { reason: 'FieldValueForbidden', message: 'Forbidden', field: 'metadata.labels[app]' },
            { reason: 'FieldValueRequired', message: 'Required value: is required', field: 'spec.nodeName' },
          ],
        },
        code: 422,
      },
    });
  });

  it('adds warnings and audit annotations to either answer', async () => {
    const check = validating(Pod, ({ warn, annotate, dryRun }) => {
      warn('old field');
      annotate('checked', String(dryRun));
      return [];
    });
    const { body } = await send({ validate: [check] }, '/validate/pods', review());
    expect(body['response']).toEqual({
      uid: 'u-1',
      allowed: true,
      warnings: ['old field'],
      auditAnnotations: { checked: 'true' },
    });
  });

  it('sees the stored object as the object of a DELETE', async () => {
    const check = validating(Pod, ({ object }) => [{ field: 'metadata.name', message: object.metadata?.name ?? '' }]);
    const deleted = review({ operation: 'DELETE', object: null, oldObject: POD });
    const { body } = await send({ validate: [check] }, '/validate/pods', deleted);
    expect(body['response']).toMatchObject({ allowed: false, status: { message: expect.stringContaining('web') } });
  });

  it('refuses with the Status of a thrown StatusError, and fails with code 500 for any other error', async () => {
    const refuse = validating(Pod, () => {
      throw denied('only on Mondays', { code: 409, reason: 'Conflict' });
    });
    const refused = await send({ validate: [refuse] }, '/validate/pods', review());
    expect(refused.status).toBe(200);
    expect(refused.body['response']).toMatchObject({
      allowed: false,
      status: { message: 'only on Mondays', code: 409, reason: 'Conflict' },
    });
    const fail = validating(Pod, () => {
      throw new TypeError('oops');
    });
    const failed = await send({ validate: [fail] }, '/validate/pods', review());
    expect(failed).toMatchObject({ status: 500, body: { kind: 'Status', message: 'Internal error occurred: oops' } });
  });
});

describe('the webhook handler', () => {
  const hooks = { validate: [validating(Pod, () => [])] };

  it.each([
    ['an unknown path', '/validate/nodes', review(), {}, 404, 'there is no webhook at /validate/nodes'],
    ['another method', '/validate/pods', '', { method: 'PUT' }, 405, 'webhooks accept POST only'],
    ['another media type', '/validate/pods', review(), { contentType: 'text/plain' }, 415, 'application/json'],
    ['an empty body', '/validate/pods', '', {}, 400, 'the body is empty'],
    ['malformed JSON', '/validate/pods', '{"kind":', {}, 400, 'the body is not JSON'],
    ['a list', '/validate/pods', '[]', {}, 400, 'not a JSON object'],
    ['a large body', '/validate/pods', review(), { maxBodyBytes: 100 }, 413, 'limit is 100'],
    [
      'an unknown version',
      '/validate/pods',
      review({}, 'v2'),
      {},
      400,
      'got admission.k8s.io/v2, Kind=AdmissionReview',
    ],
    ['a review without a request', '/validate/pods', { ...review(), request: null }, {}, 400, 'has no request'],
    ['a request without a uid', '/validate/pods', review({ uid: '' }), {}, 400, 'no uid'],
    ['an unknown operation', '/validate/pods', review({ operation: 'EAT' }), {}, 400, '"EAT\\" is not known'],
    ['a create without an object', '/validate/pods', review({ object: null }), {}, 400, 'CREATE has no object'],
    [
      'another kind',
      '/validate/pods',
      review({ kind: { group: 'apps', version: 'v1', kind: 'Deployment' } }),
      {},
      400,
      'this webhook reviews /v1, Kind=Pod, the AdmissionReview is about apps/v1, Kind=Deployment',
    ],
  ])('answers %s', async (_, target, body, options, status, text) => {
    const answer = await send(hooks, target, body, options);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it('answers probes', async () => {
    for (const path of ['/healthz', '/livez', '/readyz'])
      expect(await send(hooks, path, '', { method: 'GET' })).toMatchObject({ status: 200, text: 'ok\n' });
  });

  it('refuses names that the API server would refuse, and equal paths', () => {
    const make = (webhooks: Partial<Webhooks>): unknown =>
      webhookHandler({ name: 'guard.example.com', ...webhooks }, { clock, logger: SILENT });
    expect(() => make({ ...hooks, name: 'guard' })).toThrow('name: "guard" is not a DNS name with a dot');
    expect(() => make({ validate: [...hooks.validate, ...hooks.validate] })).toThrow(
      'two hooks have the path /validate/pods',
    );
    expect(() => make({ validate: [validating(ConfigMap, () => [], { name: 'A b' })] })).toThrow(
      '"A b", is not a DNS name',
    );
    expect(() => make({})).toThrow('set at least one of mutate, validate and convert');
  });
});

interface WidgetV1 {
  metadata?: { name?: string; labels?: Record<string, string> };
  spec: { size: number };
}
interface WidgetV2 {
  metadata?: { name?: string };
  spec: { dimensions: { size: number } };
}
const names = { group: 'example.com', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
const V1: Kind<WidgetV1> = { ...names, version: 'v1' };
const V2: Kind<WidgetV2> = { ...names, version: 'v2' };
const V3 = untypedKind({ ...names, version: 'v3' });

describe('a converting hook', () => {
  const convert = [
    converting(
      V2,
      spoke(V1, {
        toHub: ({ spec }) => ({ spec: { dimensions: { size: spec.size } } }),
        fromHub: ({ spec }) => {
          if (spec.dimensions.size > 9) throw new RangeError('too large for v1');
          return { spec: { size: spec.dimensions.size } };
        },
      }),
      spoke(V3, {
        toHub: (object) => ({ spec: { dimensions: { size: object['size'] as number } } }),
        fromHub: ({ spec }) => ({ size: spec.dimensions.size }),
      }),
    ),
  ];
  const ask = (desired: string, objects: readonly JsonObject[], version = 'v1'): ReturnType<typeof send> =>
    send({ convert }, '/convert/widgets.example.com', {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid: 'c-1', desiredAPIVersion: `example.com/${desired}`, objects: [...objects] },
    });
  const metadata = { name: 'w', namespace: 'ns', uid: 'x' };
  const v1 = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { size: 3 } };
  const v2 = { apiVersion: 'example.com/v2', kind: 'Widget', metadata, spec: { dimensions: { size: 3 } } };
  const v3 = { apiVersion: 'example.com/v3', kind: 'Widget', metadata, size: 3 };

  it('converts to the hub, from the hub, and between two other versions', async () => {
    for (const [desired, expected] of [
      ['v1', v1],
      ['v2', v2],
      ['v3', v3],
    ] as const)
      for (const version of ['v1', 'v1beta1'])
        expect((await ask(desired, [v1, v2, v3], version)).body).toEqual({
          kind: 'ConversionReview',
          apiVersion: `apiextensions.k8s.io/${version}`,
          response: { uid: 'c-1', convertedObjects: [expected, expected, expected], result: { status: 'Success' } },
        });
  });

  it('fails as a whole with the message of the failure', async () => {
    const large = { ...v2, spec: { dimensions: { size: 10 } } };
    expect((await ask('v1', [v2, large])).body['response']).toEqual({
      uid: 'c-1',
      convertedObjects: [],
      result: {
        status: 'Failure',
        message: 'cannot convert Widget ns/w from example.com/v2 to example.com/v1: too large for v1',
      },
    });
    expect((await ask('v9', [v2])).body['response']).toMatchObject({
      result: { status: 'Failure', message: 'this webhook does not convert example.com/v9, Kind=Widget' },
    });
  });

  it('answers 400 for another review', async () => {
    const { status, text } = await send({ convert }, '/convert/widgets.example.com', review());
    expect(status).toBe(400);
    expect(text).toContain('expected a ConversionReview');
  });
});
