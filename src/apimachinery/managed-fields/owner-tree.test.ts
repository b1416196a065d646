import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { filterNodes, type OwnerNode, type OwnerTree, ownerTree, visitNodes } from './owner-tree.ts';

function entry(manager: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject {
  return { manager, operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1, ...more };
}

function treeOf(object: JsonObject, ...entries: JsonObject[]): OwnerTree {
  const metadata = { name: 'web', uid: 'x', ...(object['metadata'] as JsonObject), managedFields: entries };
  const result = ownerTree({ apiVersion: 'apps/v1', kind: 'Deployment', ...object, metadata });
  if (!result.ok) throw new Error(result.message);
  return result.tree;
}

/** Returns each path with its owners; those that the object does not have are marked. */
function lines({ root }: OwnerTree): string[] {
  const found: string[] = [];
  visitNodes(root, ({ path, owners, value }) => {
    const names = owners.map(({ manager }) => manager).join(' ');
    if (path !== '') found.push(`${path}:${names === '' ? '' : ` ${names}`}${value === undefined ? ' absent' : ''}`);
  });
  return found;
}

describe('the owners of fields', () => {
  it('are those whose sets have the field; nobody owns what the server sets in metadata', () => {
    const tree = treeOf(
      { metadata: { labels: { app: 'web', tier: 'x' } }, spec: { replicas: 3, paused: true } },
      entry('one', { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } }, 'f:spec': { 'f:replicas': {} } }),
      entry('two', { 'f:spec': { 'f:replicas': {} } }, { operation: 'Update', subresource: 'scale', time: 'T' }),
    );
    expect(lines(tree)).toEqual([
      '.metadata:',
      '.metadata.labels: one',
      '.metadata.labels.app: one',
      '.metadata.labels.tier:',
      '.spec:',
      '.spec.replicas: one two',
      '.spec.paused:',
    ]);
    expect(tree.owners[1]).toEqual({
      manager: 'two',
      operation: 'Update',
      subresource: 'scale',
      apiVersion: 'apps/v1',
      time: 'T',
    });
  });

  it('of list items are found by key, by value and by index', () => {
    const containers = [
      { name: 'a', image: 'x', ports: [{ containerPort: 80, protocol: 'TCP' }] },
      { name: 'b', image: 'y' },
    ];
    const tree = treeOf(
      { spec: { containers, finalizers: ['p', 'q'], args: ['1'] } },
      entry('one', {
        'f:spec': {
          'f:containers': {
            'k:{"name":"a"}': {
              '.': {},
              'f:image': {},
              'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            },
            'k:{"name":"gone"}': { '.': {}, 'f:image': {} },
          },
          'f:finalizers': { 'v:"p"': {} },
          'f:args': { 'i:0': {} },
        },
      }),
    );
    expect(lines(tree)).toEqual([
      '.spec:',
      '.spec.containers:',
      '.spec.containers[name="a"]: one',
      '.spec.containers[name="a"].name:',
      '.spec.containers[name="a"].image: one',
      '.spec.containers[name="a"].ports:',
      '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"]: one',
      '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].containerPort: one',
      '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].protocol:',
      '.spec.containers[1]:',
      '.spec.containers[name="gone"]: one absent',
      '.spec.containers[name="gone"].image: one absent',
      '.spec.finalizers:',
      '.spec.finalizers[="p"]: one',
      '.spec.finalizers[1]:',
      '.spec.args:',
      '.spec.args[0]: one',
    ]);
  });

  it('own a value as a whole if no manager owns a part of it', () => {
    const tree = treeOf(
      { spec: { selector: { matchLabels: { a: 'b' } }, other: { deep: { er: 1 } } }, status: { a: { b: 1 } } },
      entry('one', { 'f:spec': { 'f:selector': {} } }),
    );
    expect(lines(tree)).toEqual(['.spec:', '.spec.selector: one', '.spec.other:', '.status:']);
  });

  it('include fields that the object does not have', () => {
    const tree = treeOf({ spec: {} }, entry('one', { 'f:spec': { 'f:a': { 'f:b': {} } }, 'f:status': {} }));
    expect(lines(tree)).toEqual(['.spec:', '.spec.a: absent', '.spec.a.b: one absent', '.status: one absent']);
  });

  it('are none without managedFields', () => {
    expect(lines(treeOf({ spec: { a: { b: 1 } } }))).toEqual(['.spec:']);
    const result = ownerTree({ kind: 'X', spec: 1 });
    expect(result.ok && result.tree.owners).toEqual([]);
  });

  it('are not known if managedFields are malformed', () => {
    const message = (managedFields: JsonValue): string => {
      const result = ownerTree({ metadata: { managedFields } });
      return result.ok ? '' : result.message;
    };
    expect(message('x')).toBe('metadata.managedFields is not a list');
    expect(message([1])).toBe('metadata.managedFields[0] is not an object');
    expect(message([entry('one', { 'k:x': {} })])).toMatch(/^metadata.managedFields\[0\].fieldsV1: /);
  });

  it('can be filtered', () => {
    const { root } = treeOf(
      { spec: { a: 1, b: { c: 2, d: 3 } } },
      entry('one', { 'f:spec': { 'f:a': {}, 'f:b': { 'f:c': {} } } }),
      entry('two', { 'f:spec': { 'f:b': { 'f:d': {} } } }),
    );
    const ofTwo = filterNodes(root, ({ owners }) => owners.some(({ manager }) => manager === 'two')) as OwnerNode;
    expect(lines({ owners: [], root: ofTwo })).toEqual(['.spec:', '.spec.b:', '.spec.b.d: two']);
    expect(filterNodes(root, () => false)).toBeUndefined();
  });
});
