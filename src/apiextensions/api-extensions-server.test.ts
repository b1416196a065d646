import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json-value.ts';
import { settle } from '../base/virtual-clock.ts';
import { CRDS, conditionsOf, GADGETS, gadget, gadgets, startTestExtensions } from './apiextensions.fixtures.ts';

const NAME = `${CRDS}/gadgets.example.test`;

describe('a definition', () => {
  it('is established by one more write, and its objects are served in the next request', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    const { body } = await request('GET', NAME);
    expect(conditionsOf(body)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    const created = 2; // The store begins at revision 1.
    expect((body['metadata'] as JsonObject)['resourceVersion']).toBe(String(created + 1));
    expect(await request('POST', GADGETS, gadget('a'))).toMatchObject({
      status: 201,
      body: { metadata: { name: 'a', generation: 1 } },
    });
  });

  it('is returned as created and served at once; watchers see both states', async () => {
    const { request, watch } = await startTestExtensions();
    const seen = await watch(`${CRDS}?watch=true`);
    const answer = await request('POST', CRDS, gadgets());
    expect(answer).toMatchObject({
      status: 201,
      body: { metadata: { resourceVersion: '2' }, status: { conditions: null, storedVersions: ['v1'] } },
    });
    expect((await request('POST', GADGETS, gadget('a'))).status).toBe(201);
    await settle();
    expect(seen.events.map(({ type, object }) => [type, conditionsOf(object)['Established']])).toEqual([
      ['ADDED', undefined],
      ['MODIFIED', 'True InitialNamesAccepted'],
    ]);
    const versions = seen.events.map(({ object }) => (object['metadata'] as JsonObject)['resourceVersion']);
    expect(versions).toEqual(['2', '3']);
  });

  it('that is refused because its name exists does not change the names of the existing one', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    expect((await request('POST', CRDS, gadgets())).status).toBe(409);
    const names = { plural: 'gizmos', singular: 'gizmo', kind: 'Gadget', listKind: 'GizmoList' };
    await define({ ...gadgets([{}], { names }), metadata: { name: 'gizmos.example.test' } });
    expect(conditionsOf((await request('GET', `${CRDS}/gizmos.example.test`)).body)).toMatchObject({
      NamesAccepted: 'False KindConflict',
    });
  });

  it('gets its names exactly once if several are created at the same time', async () => {
    const { request } = await startTestExtensions();
    const rivals = ['as', 'bs', 'cs'].map((plural) => {
      const names = { plural, singular: plural.slice(0, -1), kind: 'Same', listKind: `Same${plural}` };
      return { ...gadgets([{}], { names }), metadata: { name: `${plural}.example.test` } };
    });
    await Promise.all(rivals.map((rival) => request('POST', CRDS, rival)));
    await settle();
    const accepted = await Promise.all(
      rivals.map(async ({ metadata }) => conditionsOf((await request('GET', `${CRDS}/${metadata.name}`)).body)),
    );
    expect(accepted.map((conditions) => conditions['NamesAccepted']).sort()).toEqual([
      'False KindConflict',
      'False KindConflict',
      'True NoConflicts',
    ]);
  });

  it('whose names are taken gets them when the other definition is deleted', async () => {
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

  it('whose webhook has an invalid CA bundle is served, but not established', async () => {
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

  it('of a protected group has the condition about its approval', async () => {
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

  it('that preserves unknown fields has the condition about its schema', async () => {
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

  it('is served again by a server that starts on the same storage', async () => {
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
