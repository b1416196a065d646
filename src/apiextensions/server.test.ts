import { describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import type { JsonObject } from '../base/json-value.ts';
import { settle } from '../base/virtual-clock.ts';
import {
  CRDS,
  conditionsOf,
  GADGETS,
  gadget,
  gadgets,
  redefine,
  SPEC,
  startTestExtensions,
} from './apiextensions.fixtures.ts';

const NAME = `${CRDS}/gadgets.example.test`;

describe('a definition', () => {
  it('is established in one further write, and its objects are served in the next request', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const { body } = await request('GET', NAME);
    expect(conditionsOf(body)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    const created = 2; // the store begins at revision 1
    expect((body['metadata'] as JsonObject)['resourceVersion']).toBe(String(created + 1));
    expect(await request('POST', GADGETS, gadget('a'))).toMatchObject({
      status: 201,
      body: { metadata: { name: 'a', generation: 1 } },
    });
  });

  it('waits for names that another has, and gets them when that one goes', async () => {
    const { define, request } = await startTestExtensions();
    await define(
      gadgets([{}], {
        names: { plural: 'gadgets', singular: 'gadget', shortNames: ['g'], kind: 'Gadget', listKind: 'GadgetList' },
      }),
    );
    const rival = gadgets([{}], {
      names: { plural: 'gizmos', singular: 'gizmo', shortNames: ['g'], kind: 'Gadget', listKind: 'GizmoList' },
    });
    await define({ ...rival, metadata: { name: 'gizmos.example.test' } });
    const waiting = await request('GET', `${CRDS}/gizmos.example.test`);
    expect(conditionsOf(waiting.body)).toEqual({
      NamesAccepted: 'False KindConflict',
      Established: 'False NotAccepted',
    });
    expect((await request('GET', '/apis/example.test/v1/namespaces/ns/gizmos')).body).toEqual({ plain: '404' });
    await request('DELETE', NAME);
    await settle();
    await settle();
    expect(conditionsOf((await request('GET', `${CRDS}/gizmos.example.test`)).body)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    expect((await request('GET', '/apis/example.test/v1/namespaces/ns/gizmos')).status).toBe(200);
  });

  it('whose webhook has a bad bundle is served, but not established', async () => {
    const { define, request, discovery } = await startTestExtensions();
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://x.test', caBundle: 'AAAA' }, conversionReviewVersions: ['v1'] },
    };
    await define(gadgets([{}], { conversion }));
    expect(conditionsOf((await request('GET', NAME)).body)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'False InvalidCABundle',
    });
    expect(discovery.get({ group: 'example.test', version: 'v1' })).toBeUndefined();
  });

  it('of a protected group says whether the group was approved', async () => {
    const { define, request } = await startTestExtensions();
    const definition = gadgets([{}], { group: 'example.k8s.io' });
    const metadata = {
      name: 'gadgets.example.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, test' },
    };
    await define({ ...definition, metadata });
    expect(conditionsOf((await request('GET', `${CRDS}/gadgets.example.k8s.io`)).body)).toMatchObject({
      KubernetesAPIApprovalPolicyConformant: 'False UnapprovedAnnotation',
    });
  });

  it('that keeps unknown fields says that its schema is not structural', async () => {
    const { request } = await startTestExtensions();
    const v1beta1 = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
    const spec = { group: 'old.test', version: 'v1', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } };
    const created = await request('POST', v1beta1, {
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.old.test' },
      spec,
    });
    expect(created.status).toBe(201);
    await settle();
    expect(conditionsOf((await request('GET', `${CRDS}/things.old.test`)).body)).toMatchObject({
      Established: 'True InitialNamesAccepted',
      NonStructuralSchema: 'True Violations',
    });
    const thing = { apiVersion: 'old.test/v1', kind: 'Thing', metadata: { name: 'a' }, anything: [1] };
    expect((await request('POST', '/apis/old.test/v1/namespaces/ns/things', thing)).body).toMatchObject({
      anything: [1],
    });
  });

  it('is found again by a server that starts on the same storage', async () => {
    const first = await startTestExtensions();
    await first.define(gadgets());
    await first.request('POST', GADGETS, gadget('a'));
    await first.server.stop();
    const second = await startTestExtensions({}, first.world);
    expect((await second.request('GET', `${GADGETS}/a`)).body).toMatchObject({
      kind: 'Gadget',
      metadata: { name: 'a' },
    });
    expect(second.discovery.get({ group: 'example.test', version: 'v1' })?.resources[0]?.plural).toBe('gadgets');
  });
});

describe('custom resources', () => {
  it('go to the delegate where the scope, the version or the name of the request is another', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const plain = { status: 404, body: { plain: '404' } };
    for (const target of [
      '/apis/example.test/v1/gadgets/a',
      '/apis/example.test/v2/namespaces/ns/gadgets',
      '/apis/example.test/v1/namespaces/ns/gizmos',
      '/apis/other.test/v1/namespaces/ns/gadgets',
    ])
      expect(await request('GET', target)).toMatchObject(plain);
    expect(await request('GET', '/apis/example.test/v1/gadgets')).toMatchObject({ status: 200 });
    await define({
      ...gadgets([{}], { scope: 'Cluster', group: 'whole.test' }),
      metadata: { name: 'gadgets.whole.test' },
    });
    expect(await request('GET', '/apis/whole.test/v1/namespaces/ns/gadgets')).toMatchObject(plain);
    expect(await request('GET', '/apis/whole.test/v1/gadgets')).toMatchObject({ status: 200 });
  });

  it('answer 404 for a subresource that they do not have, and 405 for a verb that one has not', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets([{ more: { subresources: { status: {} } } }]));
    await request('POST', GADGETS, gadget('a'));
    expect((await request('GET', `${GADGETS}/a/scale`)).body).toMatchObject({
      code: 404,
      message: 'gadgets.example.test "a" not found',
    });
    expect((await request('DELETE', `${GADGETS}/a/status`)).body).toMatchObject({
      code: 405,
      message: 'delete is not supported on resources of kind "gadgets.example.test"',
    });
  });

  it('are pruned, defaulted and validated, and say what was dropped', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const made = await request('POST', GADGETS, gadget('a', { spec: { color: 'red', x: 1 }, y: 2 }));
    expect(made.body['spec']).toEqual({ color: 'red', size: 7 });
    expect(made.warnings).toEqual(['299 - "unknown field \\"spec.x\\""', '299 - "unknown field \\"y\\""']);
    expect((await request('POST', `${GADGETS}?fieldValidation=Strict`, gadget('b', { y: 2 }))).body).toMatchObject({
      message: 'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "y"',
    });
    expect((await request('POST', GADGETS, gadget('b', { spec: { size: 'x' } }))).body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.size', reason: 'FieldValueTypeInvalid' }] },
    });
    expect((await request('POST', GADGETS, { ...gadget('b'), kind: 'Gizmo' })).body).toMatchObject({
      message: 'Gizmo.example.test "b" is invalid: kind: Invalid value: "Gizmo": must be Gadget',
    });
  });

  it('count the generation for everything but metadata, and for the status only without its subresource', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    await define({
      ...gadgets([{ more: { subresources: { status: {} } } }], { group: 'sub.test' }),
      metadata: { name: 'gadgets.sub.test' },
    });
    for (const [group, expected] of [
      ['example.test', [1, 2, 3]],
      ['sub.test', [1, 1, 2]],
    ] as const) {
      const path = `/apis/${group}/v1/namespaces/ns/gadgets`;
      const object = { ...gadget('a', { status: { old: true } }), apiVersion: `${group}/v1` };
      const generations = [(await request('POST', path, object)).body];
      generations.push(
        (await request('PATCH', `${path}/a`, { metadata: { labels: { a: 'b' } }, status: { n: 1 } })).body,
      );
      generations.push((await request('PATCH', `${path}/a`, { spec: { color: 'red' } })).body);
      expect(generations.map((body) => (body['metadata'] as JsonObject)['generation'])).toEqual(expected);
      expect(generations[2]?.['status']).toEqual(group === 'sub.test' ? undefined : { old: true, n: 1 });
    }
    const status = await request('PATCH', '/apis/sub.test/v1/namespaces/ns/gadgets/a/status', {
      metadata: { labels: { x: 'y' } },
      spec: { color: 'blue' },
      status: { ready: true },
    });
    expect(status.body).toMatchObject({
      metadata: { generation: 2, labels: { a: 'b' } },
      spec: { color: 'red' },
      status: { ready: true },
    });
    expect((status.body['metadata'] as { labels: JsonObject }).labels).toEqual({ a: 'b' });
  });

  it('are scaled through their own paths', async () => {
    const { define, request } = await startTestExtensions();
    const scale = {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    };
    await define(gadgets([{ more: { subresources: { scale } } }]));
    await request('POST', GADGETS, gadget('a', { status: { selector: 'a=b' } }));
    expect((await request('GET', `${GADGETS}/a/scale`)).body).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    expect((await request('PATCH', `${GADGETS}/a/scale`, { spec: {} })).body).toMatchObject({
      code: 400,
      message: 'the spec replicas field ".spec.replicas" cannot be empty',
    });
    expect((await request('PATCH', `${GADGETS}/a/scale`, { spec: { replicas: 3 } })).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 3 },
      status: { replicas: 0, selector: 'a=b' },
    });
    expect((await request('GET', `${GADGETS}/a`)).body).toMatchObject({
      spec: { replicas: 3 },
      metadata: { generation: 2 },
    });
    expect((await request('PATCH', `${GADGETS}/a/scale`, { spec: { replicas: -3 } })).body).toMatchObject({
      message:
        'Gadget.example.test "a" is invalid: .spec.replicas: Invalid value: -3: should be a non-negative integer',
    });
  });

  it('are shown as a table with the columns of their definition', async () => {
    const { define, request, world } = await startTestExtensions();
    const columns = [
      { name: 'Color', type: 'string', jsonPath: '.spec.color' },
      { name: 'Born', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
    ];
    await define(gadgets([{ more: { additionalPrinterColumns: columns } }]));
    await request('POST', GADGETS, gadget('a', { spec: { color: 'red' } }));
    await world.clock.advance(65_000);
    const table = await request('GET', GADGETS, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body['columnDefinitions']).toMatchObject([
      { name: 'Name' },
      { name: 'Color' },
      { name: 'Born', priority: 1 },
    ]);
    expect(table.body['rows']).toMatchObject([{ cells: ['a', 'red', '65s'] }]);
  });

  it('warn about a deprecated version and recommend the best one', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets([{ name: 'v2' }, { name: 'v1', storage: false, more: { deprecated: true } }]));
    expect((await request('GET', GADGETS)).warnings).toEqual([
      '299 - "example.test/v1 Gadget is deprecated; use example.test/v2 Gadget"',
    ]);
  });

  it('are selected by the fields that their version names', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets([{ more: { selectableFields: [{ jsonPath: '.spec.color' }] } }]));
    await request('POST', GADGETS, gadget('a', { spec: { color: 'red' } }));
    await request('POST', GADGETS, gadget('b', { spec: { color: 'blue' } }));
    const red = await request('GET', `${GADGETS}?fieldSelector=spec.color%3Dred`);
    expect(red.body['items']).toMatchObject([{ metadata: { name: 'a' } }]);
    expect((await request('GET', `${GADGETS}?fieldSelector=spec.size%3D7`)).status).toBe(400);
  });
});

describe('a definition that changes', () => {
  const before = gadgets();
  const after = gadgets([
    {
      properties: {
        spec: {
          ...SPEC,
          properties: { ...(SPEC['properties'] as JsonObject), weight: { type: 'integer', default: 3 } },
        },
      },
    },
  ]);

  it('ends open watches cleanly, and a watch from the last event misses nothing', async () => {
    const { define, request, watch } = await startTestExtensions();
    await define(before);
    await request('POST', GADGETS, gadget('a'));
    const old = await watch(`${GADGETS}?watch=true`);
    expect(old.short).toEqual(['ADDED a']);
    await redefine({ request }, after);
    expect(old.ended).toBe(true);
    expect(old.short).toEqual(['ADDED a']);
    await request('POST', GADGETS, gadget('b'));
    const last = ((old.events[0] as { object: JsonObject }).object['metadata'] as JsonObject)['resourceVersion'];
    const next = await watch(`${GADGETS}?watch=true&resourceVersion=${String(last)}`);
    await request('POST', GADGETS, gadget('c'));
    await settle();
    expect(next.short).toEqual(['ADDED b', 'ADDED c']);
    expect(next.ended).toBe(false);
  });

  it('is served without a gap, and old objects get the new defaults', async () => {
    const { define, request } = await startTestExtensions();
    await define(before);
    await request('POST', GADGETS, gadget('a', { spec: {} }));
    const changing = redefine({ request }, after);
    const during = await Promise.all(Array.from({ length: 20 }, () => request('GET', `${GADGETS}/a`)));
    await changing;
    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await request('GET', `${GADGETS}/a`)).body['spec']).toEqual({ size: 7, weight: 3 });
  });

  it('stores objects in another version from then on, and moves those that are written', async () => {
    const { define, request, world } = await startTestExtensions();
    const both = (stored: string): JsonObject =>
      gadgets(['v1', 'v2'].map((name) => ({ name, storage: name === stored })));
    await define(both('v1'));
    await request('POST', GADGETS, gadget('a'));
    await redefine({ request }, both('v2'));
    const definition = (await request('GET', NAME)).body;
    expect(definition['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    const storedVersion = async (): Promise<string> => {
      const found = await world.storage.get('registry/example.test/gadgets/ns/a');
      if (found.outcome !== 'found') throw new Error('a is not stored');
      return (JSON.parse(new TextDecoder().decode(found.item.value)) as { apiVersion: string }).apiVersion;
    };
    expect(await storedVersion()).toBe('example.test/v1');
    expect((await request('GET', `${GADGETS}/a`)).body['apiVersion']).toBe('example.test/v1');
    const read = (await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets/a')).body;
    expect(read['apiVersion']).toBe('example.test/v2');
    expect((await request('PUT', '/apis/example.test/v2/namespaces/ns/gadgets/a', read)).status).toBe(200);
    expect(await storedVersion()).toBe('example.test/v2');
    const status = { ...(definition['status'] as JsonObject), storedVersions: ['v2'] };
    expect((await request('PUT', `${NAME}/status`, { ...definition, status })).status).toBe(200);
    expect((await redefine({ request }, gadgets([{ name: 'v2' }]))).status).toBe(200);
    expect((await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets/a')).status).toBe(200);
  });

  it('lets requests that have begun end as they began, and trusts nothing that they may still write', async () => {
    const gate = new Deferred<void>();
    const asked: string[] = [];
    const stopped: number[] = [];
    const { define, request, watch } = await startTestExtensions({
      converter: ({ generation }) => ({
        convert: async (objects, from, to) => {
          asked.push(`${generation}: ${from} to ${to}`);
          if (generation === 1) await gate.promise;
          return objects.map((object) => ({ ...object, apiVersion: `example.test/${to}` }));
        },
        stop: () => void stopped.push(generation),
      }),
    });
    const both = (properties?: JsonObject): JsonObject =>
      gadgets(
        ['v1', 'v2'].map((name) => ({
          name,
          storage: name === 'v2',
          ...(properties === undefined ? {} : { properties }),
        })),
      );
    await define(both());
    const watched = await watch('/apis/example.test/v2/namespaces/ns/gadgets?watch=true');
    const creating = request('POST', GADGETS, gadget('a', { spec: { color: 'red' } }));
    await settle();
    await redefine(
      { request },
      both({ spec: { type: 'object', properties: { size: { type: 'integer', default: 9 } } } }),
    );
    expect((await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets')).body['items']).toEqual([]);
    expect([watched.ended, stopped]).toEqual([false, []]);
    gate.resolve(undefined);
    expect(await creating).toMatchObject({ status: 201, body: { spec: { color: 'red', size: 7 } } });
    await settle();
    expect([watched.ended, stopped]).toEqual([true, [1]]);
    expect(asked[0]).toBe('1: v1 to v2');
    const seen = await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets/a');
    expect(seen.body['spec']).toEqual({ size: 7 });
    const listed = await request('GET', '/apis/example.test/v2/namespaces/ns/gadgets');
    expect(listed.body['items']).toMatchObject([{ spec: { size: 7 } }]);
  });

  it('does not keep the server from stopping, whatever is under way', async () => {
    const { define, request, server, watch } = await startTestExtensions({
      converter: () => ({ convert: () => new Promise(() => undefined) }),
    });
    await define(gadgets(['v1', 'v2'].map((name) => ({ name, storage: name === 'v2' }))));
    const watched = await watch('/apis/example.test/v2/namespaces/ns/gadgets?watch=true');
    void request('POST', GADGETS, gadget('a'));
    await settle();
    await redefine({ request }, gadgets([{ name: 'v2' }, { name: 'v1', storage: false, more: { deprecated: true } }]));
    await server.stop();
    expect(watched.ended).toBe(true);
  });

  it('publishes its own group-version and no other', async () => {
    const { define, request, discovery } = await startTestExtensions();
    await define(before);
    await define({ ...gadgets([{}], { group: 'other.test' }), metadata: { name: 'gadgets.other.test' } });
    const seen: string[] = [];
    discovery.onChange(({ group, version }) => seen.push(`${group}/${version}`));
    await redefine({ request }, gadgets([{}, { name: 'v2', storage: false }]));
    expect(new Set(seen)).toEqual(new Set(['example.test/v1', 'example.test/v2']));
    expect(discovery.get({ group: 'example.test', version: 'v2' })?.resources).toHaveLength(1);
    await redefine({ request }, before);
    expect(discovery.get({ group: 'example.test', version: 'v2' })).toBeUndefined();
  });
});

describe('a definition that is deleted', () => {
  it('takes its objects with it, ends their watches, and leaves the name to another', async () => {
    const { define, request, watch, discovery } = await startTestExtensions();
    await define(gadgets());
    await request('POST', GADGETS, gadget('a'));
    const watched = await watch(`${GADGETS}?watch=true`);
    expect((await request('DELETE', NAME)).status).toBe(200);
    await settle();
    await settle();
    expect((await request('GET', NAME)).status).toBe(404);
    expect(watched.short).toEqual(['ADDED a', 'DELETED a']);
    expect(watched.ended).toBe(true);
    expect((await request('GET', GADGETS)).body).toEqual({ plain: '404' });
    expect(discovery.get({ group: 'example.test', version: 'v1' })).toBeUndefined();
    await define(gadgets([{ properties: { spec: { type: 'object', properties: { other: { type: 'string' } } } } }]));
    const reborn = await request('POST', GADGETS, gadget('a', { spec: { other: 'x', color: 'red' } }));
    expect(reborn.body['spec']).toEqual({ other: 'x' });
  });

  it('waits for objects that finalizers hold, and refuses new ones meanwhile', async () => {
    const { define, request, discovery } = await startTestExtensions();
    await define(gadgets());
    await request('POST', GADGETS, gadget('a', { metadata: { name: 'a', finalizers: ['x.test/y'] } }));
    await request('DELETE', NAME);
    await settle();
    await settle();
    expect(conditionsOf((await request('GET', NAME)).body)).toMatchObject({
      Terminating: 'True InstanceDeletionInProgress',
    });
    for (const query of ['', '?dryRun=All'])
      expect((await request('POST', GADGETS + query, gadget('b', { spec: { size: 'wrong' } }))).body).toMatchObject({
        code: 403,
        message:
          'gadgets.example.test "b" is forbidden: create not allowed while custom resource definition is terminating',
      });
    const verbs = discovery.get({ group: 'example.test', version: 'v1' })?.resources[0]?.verbs;
    expect(verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch']);
    await request('PATCH', `${GADGETS}/a`, { metadata: { finalizers: null } });
    await settle();
    await settle();
    expect((await request('GET', NAME)).status).toBe(404);
  });

  it('says after a minute that objects are left, and tries again', async () => {
    const { define, request, world } = await startTestExtensions();
    await define(gadgets());
    await request('POST', GADGETS, gadget('a', { metadata: { name: 'a', finalizers: ['x.test/y'] } }));
    await request('DELETE', NAME);
    await settle();
    await world.clock.advance(60_000);
    await settle();
    const { body } = await request('GET', NAME);
    expect(
      (body['status'] as unknown as { conditions: readonly JsonObject[] }).conditions.find(
        ({ type }) => type === 'Terminating',
      ),
    ).toMatchObject({
      status: 'True',
      reason: 'InstanceDeletionCheck',
      message: 'could not confirm zero CustomResources remaining: context deadline exceeded',
    });
    await world.clock.advance(10);
    await settle();
    await request('PATCH', `${GADGETS}/a`, { metadata: { finalizers: null } });
    await settle();
    await settle();
    expect((await request('GET', NAME)).status).toBe(404);
  });

  it('that was never established just goes', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const rival = gadgets([{}], {
      names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gadget', listKind: 'GizmoList' },
    });
    await define({ ...rival, metadata: { name: 'gizmos.example.test' } });
    await request('DELETE', `${CRDS}/gizmos.example.test`);
    await settle();
    await settle();
    expect((await request('GET', `${CRDS}/gizmos.example.test`)).status).toBe(404);
  });
});

describe('many definitions', () => {
  it('of one group are established and published', async () => {
    const { define, request, discovery } = await startTestExtensions();
    for (let i = 0; i < 50; i++) {
      const names = { plural: `things${i}`, singular: `thing${i}`, kind: `Thing${i}`, listKind: `Thing${i}List` };
      await define({ ...gadgets([{}], { names }), metadata: { name: `things${i}.example.test` } });
    }
    expect(discovery.get({ group: 'example.test', version: 'v1' })?.resources).toHaveLength(50);
    expect((await request('GET', '/apis/example.test/v1/things49')).status).toBe(200);
  });
});
