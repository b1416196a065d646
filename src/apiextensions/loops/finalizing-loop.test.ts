import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { CRDS, conditionsOf, GADGETS, gadget, gadgets, startTestExtensions } from '../apiextensions.fixtures.ts';

const NAME = `${CRDS}/gadgets.example.test`;

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
