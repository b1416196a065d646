import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, equalJson } from '../../base/json-value.ts';
import type { FieldView, ListView, StructView, TypeView } from '../type-view.ts';
import { deploymentView, podView, serviceView } from './strategic-merge.fixtures.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';
import { diffStrategic } from './strategic-merge-diff.ts';

const WORDS = ['v', 'w', 'x', 'y', 'z'];

/** Valid values of a type: merge keys and merged scalars are unique. */
function valuesOf(view: TypeView, depth: number): fc.Arbitrary<JsonValue> {
  switch (view.kind) {
    case 'struct':
      return structsOf(view, depth);
    case 'map':
      return fc.dictionary(fc.constantFrom(...WORDS, '__proto__'), valuesOf(view.values, depth), {
        maxKeys: 3,
        noNullPrototype: true,
      });
    case 'list':
      return fc.array(valuesOf(view.items, depth - 1), { maxLength: 2 });
    case 'scalar':
      if (view.scalar === 'boolean') return fc.boolean();
      return view.scalar.startsWith('int') ? fc.integer({ min: 1, max: 5 }) : fc.constantFrom(...WORDS);
    case 'any':
      return fc.constant({});
  }
}

function structsOf(view: StructView, depth: number): fc.Arbitrary<JsonObject> {
  const model: Record<string, fc.Arbitrary<JsonValue>> = {};
  for (const field of view.fields()) {
    if (depth > 0 || field.type.kind === 'scalar') model[field.name] = fieldsOf(field, depth - 1);
  }
  return fc.record(model, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
}

function fieldsOf(field: FieldView, depth: number): fc.Arbitrary<JsonValue> {
  if (field.patchStrategies[0] !== 'merge') return valuesOf(field.type, depth);
  const { items } = field.type as ListView;
  const key = field.patchMergeKey;
  if (key === undefined) return fc.uniqueArray(valuesOf(items, 0), { maxLength: 4 });
  const keys = valuesOf((items as StructView).field(key)?.type as TypeView, 0);
  const element = fc
    .tuple(structsOf(items as StructView, depth - 1), keys)
    .map(([item, value]) => ({ ...item, [key]: value }));
  return fc.uniqueArray(element, { maxLength: 3, selector: (item) => item[key] as JsonValue });
}

function diff(original: JsonObject, modified: JsonObject, view: TypeView = podView): JsonObject | string {
  const result = diffStrategic(original, modified, view);
  return result.ok ? result.value : `${result.error.code}: ${result.error.message}`;
}

describe('diffStrategic', () => {
  it('names changed fields and clears missing ones', () => {
    expect(
      diff(
        { spec: { nodeName: 'a', hostNetwork: true, nodeSelector: { a: '1', b: '1' }, tolerations: [{ key: 'a' }] } },
        { spec: { nodeName: 'b', nodeSelector: { a: '1' }, tolerations: [] }, kind: 'Pod' },
      ),
    ).toEqual({ spec: { nodeName: 'b', hostNetwork: null, nodeSelector: { b: null }, tolerations: [] }, kind: 'Pod' });
  });

  it('merges, deletes and orders the elements of lists', () => {
    expect(
      diff(
        { spec: { containers: [{ name: 'a', image: '1' }, { name: 'b' }, { name: 'c' }] } },
        { spec: { containers: [{ name: 'c' }, { name: 'd' }, { name: 'a', image: '2' }] } },
      ),
    ).toEqual({
      spec: {
        containers: [{ name: 'd' }, { name: 'a', image: '2' }, { name: 'b', $patch: 'delete' }],
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'd' }, { name: 'a' }],
      },
    });
  });

  it('adds, deletes and orders scalars', () => {
    expect(diff({ metadata: { finalizers: ['a', 'b'] } }, { metadata: { finalizers: ['c', 'b'] } })).toEqual({
      metadata: {
        finalizers: ['c'],
        '$deleteFromPrimitiveList/finalizers': ['a'],
        '$setElementOrder/finalizers': ['c', 'b'],
      },
    });
    expect(diff({ metadata: { finalizers: ['b', 'a'] } }, { metadata: { finalizers: ['a', 'b'] } })).toEqual({
      metadata: { '$setElementOrder/finalizers': ['a', 'b'] },
    });
    expect(diff({ metadata: { finalizers: ['b', 'a'] } }, { metadata: { finalizers: ['b', 'a'] } })).toEqual({});
  });

  it('lists the keys to retain', () => {
    expect(
      diff(
        { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: {} } } },
        { spec: { strategy: { type: 'Recreate' } } },
        deploymentView,
      ),
    ).toEqual({ spec: { strategy: { type: 'Recreate', rollingUpdate: null, $retainKeys: ['type'] } } });
  });

  it('fails where a change is not described by the type', () => {
    expect(diff({ bogus: {} }, { bogus: {} })).toEqual({});
    expect(diff({ bogus: {} }, { bogus: { a: 1 } })).toBe(
      'unclassified: unable to find api field in struct Pod for the json field "bogus"',
    );
    expect(diff({ spec: { containers: [{}] } }, { spec: { containers: [{ name: 'a' }] } })).toBe(
      'unclassified: map: map[] does not contain declared merge key: name',
    );
    expect(diff({ $patch: 1 }, { $patch: 'replace' })).toBe('unclassified: invalid value for special key: $patch');
  });

  it('pairs elements that share a key, so that equal lists need no patch', () => {
    const ports = [
      { containerPort: 53, protocol: 'UDP' },
      { containerPort: 53, protocol: 'TCP' },
    ];
    const pod = { spec: { containers: [{ name: 'a', ports }] } };
    expect(diff(pod, cloneJson(pod))).toEqual({});
  });

  for (const view of [podView, deploymentView, serviceView]) {
    it(`gives a patch that leads from one ${view.name} to another, and changes neither`, () => {
      const values = structsOf(view, 7);
      fc.assert(
        fc.property(values, values, fc.boolean(), (original, other, related) => {
          const modified = related
            ? { ...original, ...other, spec: { ...(original['spec'] as JsonObject), ...(other['spec'] as JsonObject) } }
            : other;
          const before = cloneJson([original, modified]);
          const patch = diffStrategic(original, modified, view);
          expect(equalJson([original, modified], before)).toBe(true);
          const result = applyStrategicMergePatch(cloneJson(original), patch.ok ? patch.value : null, view);
          expect(patch.ok && result.ok && equalJson(result.value, modified)).toBe(true);
          expect(diff(original, cloneJson(original), view)).toEqual({});
        }),
        { seed: 81, numRuns: 200 },
      );
    });
  }
});
