import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import { Deferred } from '../../../base/deferred.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister, ListerChange } from '../../../server/own/lister.ts';
import { attributesFor, listerOf, podWith, verdict } from '../admission.fixtures.ts';
import { limitRanger as createPlugin } from './limit-ranger.ts';

const limitRanger = (lister: Lister): AdmissionPlugin => createPlugin(lister, () => 0);

const range = (...limits: JsonObject[]): JsonObject => ({ metadata: { name: 'l', namespace: 'ns' }, spec: { limits } });
const container = (resources: JsonObject, name = 'c'): JsonObject => ({ name, resources });

describe('LimitRanger', () => {
  test('sets default amounts and lists them in an annotation', () => {
    const plugin = limitRanger(
      listerOf(range({ type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '500m' } })),
    );
    const pod = podWith({
      containers: [container({ limits: { cpu: '2' } }, 'a')],
      initContainers: [container({ requests: { cpu: '1' }, limits: { cpu: '1', memory: '1' } }, 'b')],
    });
    expect(verdict(plugin, attributesFor('CREATE', 'pods', pod))).toBeUndefined();
    expect(objectsAt(pod, 'spec', 'containers')[0]?.['resources']).toEqual({
      limits: { cpu: '2', memory: '1Gi' },
      requests: { cpu: '500m' },
    });
    expect(objectAt(pod, 'metadata', 'annotations')).toEqual({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container a; memory limit for container a',
    });
  });

  const bounds = { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '2' } };
  test.each([
    [{ requests: { cpu: '500m' }, limits: { cpu: '1' } }, undefined],
    [
      { requests: { cpu: '50m' }, limits: { cpu: '80m' } },
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      { requests: { cpu: '300m' }, limits: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333',
    ],
    [
      {},
      '[minimum cpu usage per Container is 100m.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified, cpu max limit to request ratio per Container is 2, but no request is specified or request is 0]',
    ],
    [{ requests: { cpu: '1' }, limits: { cpu: '2' } }, 'maximum cpu usage per Container is 1, but limit is 2'],
  ])('refuses containers outside of the limits: %j', (resources, problem) => {
    const pod = podWith({ containers: [container(resources as JsonObject)] });
    const said = problem === undefined ? undefined : `pods "p" is forbidden: ${problem}`;
    expect(verdict(limitRanger(listerOf(range(bounds))), attributesFor('CREATE', 'pods', pod))).toBe(said);
  });

  test('adds up the containers of a pod', () => {
    const plugin = limitRanger(listerOf(range({ type: 'Pod', max: { cpu: '1' } })));
    const spec = {
      containers: [container({ limits: { cpu: '600m' } }, 'a'), container({ limits: { cpu: '500m' } }, 'b')],
    };
    const create = (more: JsonObject): string | undefined =>
      verdict(plugin, attributesFor('CREATE', 'pods', podWith({ ...spec, ...more })));
    expect(create({})).toBe('pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 1100m');
    expect(create({ resources: { limits: { cpu: '1' } } })).toBeUndefined();
  });

  test('limits claims', () => {
    const plugin = limitRanger(
      listerOf(range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } })),
    );
    const create = (storage: string): string | undefined =>
      verdict(
        plugin,
        attributesFor('CREATE', 'persistentvolumeclaims', {
          metadata: { name: 'c' },
          spec: { resources: { requests: { storage } } },
        }),
      );
    expect(create('1536Mi')).toBeUndefined();
    expect(create('3Gi')).toBe(
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    );
    expect(create('1')).toContain('minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1');
  });

  test('ignores updates of pods except resizes, and objects that are being deleted', () => {
    const plugin = limitRanger(listerOf(range(bounds)));
    const update = (subresource: string, old: JsonObject): string | undefined =>
      verdict(plugin, attributesFor('UPDATE', 'pods', podWith(), { oldObject: old, subresource }));
    expect(update('', podWith())).toBeUndefined();
    expect(update('resize', podWith())).toContain('minimum cpu usage');
    expect(update('resize', podWith({}, { deletionTimestamp: '2030-01-01T00:00:00Z' }))).toBeUndefined();
  });
});

describe('LimitRanger beside other servers', () => {
  /** A lister that sees the LimitRange of another server when `current` is called. Counts the calls. */
  function shared(answer: () => Promise<void>) {
    let publish: (changes: readonly ListerChange[]) => void = () => undefined;
    const stored: JsonObject[] = [];
    const counts = { calls: 0 };
    const lister: Lister = {
      ...listerOf(),
      current: async () => {
        counts.calls++;
        await answer();
        if (stored.length > 0) publish([{ namespace: 'ns', name: 'l', object: stored[0] }]);
      },
      list: () => stored,
      subscribe: (listener) => {
        publish = listener;
        return { stop: () => undefined };
      },
    };
    return { lister, stored, counts };
  }
  const create = () => attributesFor('CREATE', 'pods', podWith({ containers: [container({})] }));
  const minimum = range({ type: 'Container', min: { cpu: '1' } });

  test('finds a LimitRange that another server has just written', async () => {
    const { lister, stored } = shared(async () => undefined);
    stored.push(minimum);
    await expect(createPlugin(lister, () => 0).validate?.(create())).rejects.toThrow('minimum cpu usage');
  });

  test('asks once in 30 seconds for a namespace without one, and not for one that has some', async () => {
    let time = 0;
    const { lister, stored, counts } = shared(async () => undefined);
    const plugin = createPlugin(lister, () => time);
    await Promise.all([plugin.admit?.(create()), plugin.validate?.(create())]);
    expect(plugin.validate?.(create())).toBeUndefined();
    expect(counts.calls).toBe(1);
    time = 30_000;
    stored.push(minimum);
    await expect(plugin.validate?.(create())).rejects.toThrow('minimum cpu usage');
    expect(() => plugin.validate?.(create())).toThrow('minimum cpu usage');
    expect(counts.calls).toBe(2);
  });

  test('asks again after a failure, which the request reports', async () => {
    const answers = [new Deferred<void>(), new Deferred<void>()];
    let next = 0;
    const { lister, counts } = shared(() => answers[next++]!.promise);
    const plugin = createPlugin(lister, () => 0);
    answers[0]?.reject(new Error('no answer'));
    await expect(plugin.validate?.(create())).rejects.toThrow('no answer');
    answers[1]?.resolve();
    await plugin.validate?.(create());
    expect(counts.calls).toBe(2);
  });
});
