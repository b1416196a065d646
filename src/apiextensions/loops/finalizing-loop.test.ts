import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import {
  CRDS,
  conditionsOf,
  GADGETS,
  gadget,
  gadgets,
  redefine,
  startTestExtensions,
} from '../apiextensions.fixtures.ts';

const NAME = `${CRDS}/gadgets.example.test`;

describe('a definition that is deleted', () => {
  it('is deleted with its objects, their watches end, and its name is free', async () => {
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

  it('waits for objects that finalizers hold, and refuses creates meanwhile', async () => {
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

  it('reports after a minute that objects are left, and tries again', async () => {
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

  it('that was never established is deleted at once', async () => {
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

  it('does not keep the server from stopping while it waits for finalizers', async () => {
    const { define, request, server, world } = await startTestExtensions();
    await define(gadgets());
    await request('POST', GADGETS, gadget('a', { metadata: { name: 'a', finalizers: ['example.test/wait'] } }));
    await request('DELETE', NAME);
    await settle();
    let isStopped = false;
    void server.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect([isStopped, world.clock.pendingTimers]).toEqual([true, 0]);
    const again = await startTestExtensions({}, world);
    expect(conditionsOf((await again.request('GET', NAME)).body)['Terminating']).toBe(
      'True InstanceDeletionInProgress',
    );
    await again.request('PATCH', `${GADGETS}/a`, { metadata: { finalizers: null } });
    await settle();
    await settle();
    expect((await again.request('GET', NAME)).status).toBe(404);
  });

  it('waits for creates that began before it was deleted', async () => {
    const gate = new Deferred<void>();
    let isHeld = true;
    const { define, request } = await startTestExtensions({
      converter: () => ({
        convert: async (objects, _from, to) => {
          if (isHeld) await gate.promise;
          return objects.map((object) => ({ ...object, apiVersion: `example.test/${to}` }));
        },
      }),
    });
    await define(gadgets([{}, { name: 'v2', storage: false }]));
    const creating = request('POST', GADGETS.replace('/v1/', '/v2/'), gadget('slow', {}, 'v2'));
    await settle();
    await request('DELETE', NAME);
    await settle();
    expect((await request('GET', NAME)).status).toBe(200);
    isHeld = false;
    gate.resolve();
    expect((await creating).status).toBe(201);
    await settle();
    await settle();
    expect((await request('GET', NAME)).status).toBe(404);
    await define(gadgets());
    expect((await request('GET', GADGETS)).body['items']).toEqual([]);
  });

  it('is emptied whatever its conditions were', async () => {
    const { define, request } = await startTestExtensions();
    await define(gadgets());
    await request('POST', GADGETS, gadget('a'));
    const { body } = await request('GET', NAME);
    const status = body['status'] as JsonObject;
    const conditions = [...(status['conditions'] as JsonObject[]), { type: 'Terminating', status: 'True' }];
    expect((await request('PUT', `${NAME}/status`, { ...body, status: { ...status, conditions } })).status).toBe(200);
    await request('DELETE', NAME);
    await settle();
    await settle();
    expect((await request('GET', NAME)).status).toBe(404);
    await define(gadgets());
    expect((await request('GET', GADGETS)).body['items']).toEqual([]);
  });

  it('is emptied once, even if another finalizer holds it and it is deleted again', async () => {
    const { define, request } = await startTestExtensions();
    const metadata = { name: 'gadgets.example.test', finalizers: ['example.test/wait'] };
    await define({ ...gadgets(), metadata });
    await redefine({ request }, gadgets([{ more: { deprecated: true } }]));
    await request('DELETE', NAME);
    await settle();
    await settle();
    const held = (await request('GET', NAME)).body;
    expect(held['metadata']).toMatchObject({ generation: 2, finalizers: ['example.test/wait'] });
    await request('DELETE', NAME);
    await settle();
    const again = (await request('GET', NAME)).body;
    expect(again['metadata']).toMatchObject({ generation: 2, finalizers: ['example.test/wait'] });
    expect(again['status']).toEqual(held['status']);
  });
});
