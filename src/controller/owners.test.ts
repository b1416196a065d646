import { describe, expect, it } from 'vitest';
import type { Stored } from '../client/object-types.ts';
import type { Kind } from '../kinds/kind.ts';
import { controllerOf, isOwnerOfKind, ownersOf, setControllerReference } from './owners.ts';

const Foo: Kind<object, 'Namespaced'> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Foo',
  plural: 'foos',
  scope: 'Namespaced',
};
const Zone: Kind<object, 'Cluster'> = { ...Foo, kind: 'Zone', plural: 'zones', scope: 'Cluster' };

const stored = (kind: string, name: string, namespace?: string): Stored<object> => ({
  apiVersion: 'example.com/v1',
  kind,
  metadata: { name, uid: `uid of ${name}`, resourceVersion: '1', ...(namespace === undefined ? {} : { namespace }) },
});

describe('setControllerReference', () => {
  it('adds the reference once, and keeps other owners', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const object = { metadata: { name: 'o', namespace: 'ns', ownerReferences: [other] } };
    for (let i = 0; i < 2; i++) setControllerReference(Foo, stored('Foo', 'a', 'ns'), object);
    expect(object.metadata.ownerReferences).toEqual([
      other,
      {
        apiVersion: 'example.com/v1',
        kind: 'Foo',
        name: 'a',
        uid: 'uid of a',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(controllerOf(object)).toEqual({ apiVersion: 'example.com/v1', kind: 'Foo', name: 'a', namespace: 'ns' });
    expect(ownersOf(object)).toHaveLength(2);
  });

  it('refuses a second controller, another namespace and a cluster-scoped object', () => {
    const object = { metadata: { name: 'o', namespace: 'ns' } };
    setControllerReference(Foo, stored('Foo', 'a', 'ns'), object);
    expect(() => setControllerReference(Foo, stored('Foo', 'b', 'ns'), object)).toThrow(
      'o is already controlled by Foo a',
    );
    expect(() => setControllerReference(Foo, stored('Foo', 'a', 'ns'), { metadata: { namespace: 'other' } })).toThrow(
      'Foo ns/a cannot own an object in other',
    );
    expect(() => setControllerReference(Foo, stored('Foo', 'a', 'ns'), {})).toThrow(
      'Foo ns/a cannot own a cluster-scoped object',
    );
    expect(() => setControllerReference(Zone, stored('Zone', 'z'), {})).not.toThrow();
    expect(() => setControllerReference(Zone, stored('Zone', 'z'), { metadata: { namespace: 'ns' } })).not.toThrow();
  });

  it('is recognised by group and kind, in any version', () => {
    const owner = { apiVersion: 'example.com/v1beta1', kind: 'Foo', name: 'a' };
    expect(isOwnerOfKind(owner, Foo)).toBe(true);
    expect(isOwnerOfKind({ ...owner, apiVersion: 'v1' }, Foo)).toBe(false);
    expect(isOwnerOfKind(owner, Zone)).toBe(false);
  });
});
