import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson } from '../../base/json-value.ts';
import type { PatchStrategy, TypeView } from '../type-view.ts';
import { MAX_PATCH_DEPTH } from './patch-error.ts';
import { deploymentView, podView, rawExtension, serviceView, struct } from './strategic-merge.fixtures.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';

function apply(original: JsonObject, patch: JsonValue, view: TypeView = podView): JsonObject | string {
  const result = applyStrategicMergePatch(original, patch, view);
  return result.ok ? result.value : `${result.error.code}: ${result.error.message}`;
}

/** Applies within `spec` of a Pod. */
function spec(original: JsonObject, patch: JsonObject): JsonValue | string {
  const result = apply({ spec: original }, { spec: patch });
  return typeof result === 'string' ? result : (result['spec'] as JsonValue);
}

/** Applies within `metadata` of a Pod. */
function metadata(original: JsonObject, patch: JsonObject): JsonValue | string {
  const result = apply({ metadata: original }, { metadata: patch });
  return typeof result === 'string' ? result : (result['metadata'] as JsonValue);
}

function names(list: JsonValue | string): unknown {
  return Array.isArray(list) ? list.map((item) => (item as JsonObject)['name']) : list;
}

function named(...list: string[]): JsonObject[] {
  return list.map((name) => ({ name }));
}

describe('fields', () => {
  it('are set, merged and deleted', () => {
    expect(
      spec(
        { nodeName: 'a', hostNetwork: true, nodeSelector: { x: '1', y: '2' } },
        {
          nodeName: 'b',
          hostNetwork: null,
          nodeSelector: { x: null, z: '3' },
          restartPolicy: null,
        },
      ),
    ).toEqual({ nodeName: 'b', nodeSelector: { y: '2', z: '3' } });
  });

  it('are copied if the original has none, known or unknown, without nulls and directives', () => {
    expect(
      spec(
        {},
        {
          bogus: { a: null, b: [{ $patch: 'delete' }, { c: null }, null] },
          securityContext: { $patch: 'replace', runAsUser: 1 },
          containers: [{ name: 'a', $retainKeys: ['name'] }],
        },
      ),
    ).toEqual({ bogus: { b: [{}, null] }, containers: [{ name: 'a', $retainKeys: ['name'] }] });
  });

  it('that are unknown fail only where both sides hold an object or a list', () => {
    expect(spec({ bogus: 1 }, { bogus: 2 })).toEqual({ bogus: 2 });
    expect(spec({ bogus: {} }, { bogus: {} })).toBe(
      'unclassified: unable to find api field in struct PodSpec for the json field "bogus"',
    );
    expect(spec({ bogus: [] }, { bogus: [] })).toBe(
      'unclassified: unable to find api field in struct PodSpec for the json field "bogus"',
    );
    expect(spec({ nodeSelector: { a: {} } }, { nodeSelector: { a: {} } })).toBe(
      'unclassified: merging an object in json but data type is not struct, instead is: map',
    );
  });

  it('of free-form objects cannot be merged below the first level', () => {
    const view = struct('Holder', { template: rawExtension });
    expect(apply({ template: { a: 1 } }, { template: { a: 2, b: 3 } }, view)).toEqual({ template: { a: 2, b: 3 } });
    expect(apply({ template: { a: {} } }, { template: { a: {} } }, view)).toBe(
      'unclassified: unable to find api field in struct RawExtension for the json field "a"',
    );
  });

  it('change their type by replacement', () => {
    expect(spec({ nodeName: [1] }, { nodeName: { x: null } })).toEqual({ nodeName: {} });
  });

  it('with the strategy replace are replaced, nulls included', () => {
    const inner = struct('Inner', {});
    const view = struct('Outer', { a: { type: inner, strategies: ['replace'] } });
    expect(apply({ a: { x: 1 } }, { a: { y: null } }, view)).toEqual({ a: { y: null } });
    const strategies: PatchStrategy[] = ['merge', 'replace'];
    expect(apply({ a: {} }, { a: {} }, struct('Outer', { a: { type: inner, strategies } }))).toBe(
      'unclassified: unexpected patch strategy: [merge replace]',
    );
  });
});

describe('lists', () => {
  it('without a strategy are replaced', () => {
    expect(spec({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b', value: null }] })).toEqual({
      tolerations: [{ key: 'b', value: null }],
    });
  });

  it('of objects merge by key, patched elements in the order of the patch', () => {
    expect(
      spec(
        {
          containers: [
            { name: 'a', image: '1' },
            { name: 'b', image: '1', env: [{ name: 'x', value: '1' }] },
          ],
        },
        { containers: [{ name: 'c' }, { name: 'b', env: [{ name: 'y' }, { name: 'x', value: '2' }] }] },
      ),
    ).toEqual({
      containers: [
        { name: 'c' },
        { name: 'a', image: '1' },
        { name: 'b', image: '1', env: [{ name: 'y' }, { name: 'x', value: '2' }] },
      ],
    });
  });

  it('use numbers as keys too', () => {
    expect(
      apply(
        { spec: { ports: [{ port: 80, name: 'a' }, { port: 443 }] } },
        {
          spec: {
            ports: [
              { port: 443, name: 'b' },
              { port: 80, $patch: 'delete' },
            ],
          },
        },
        serviceView,
      ),
    ).toEqual({ spec: { ports: [{ port: 443, name: 'b' }] } });
  });

  it('of scalars merge without duplicates', () => {
    expect(metadata({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
  });

  it('fail where an element lacks the key', () => {
    expect(spec({ containers: [{ name: 'a' }] }, { containers: [{ image: 'x', ports: [1.5, null] }] })).toBe(
      'unclassified: map: map[image:x ports:[1.5 <nil>]] does not contain declared merge key: name',
    );
    const result = applyStrategicMergePatch(
      { spec: { containers: [{ name: 'a', env: [{ name: 'x' }] }] } },
      { spec: { containers: [{ name: 'a', env: [{}] }] } },
      podView,
    );
    expect(result).toMatchObject({ error: { path: 'spec.containers.[name=a].env' } });
  });

  it('fail where elements are of different types or lists', () => {
    expect(metadata({ finalizers: ['a'] }, { finalizers: [1] })).toBe(
      'unclassified: list element types are not identical: [[a] [1]]',
    );
    expect(metadata({ finalizers: [['a']] }, { finalizers: ['b'] })).toBe(
      'unprocessable: lists of lists are not supported',
    );
    expect(metadata({ finalizers: [{ a: 1 }] }, { finalizers: [{ a: 1 }] })).toBe(
      'unclassified: cannot merge lists without merge key for string',
    );
    expect(spec({ containers: ['a'] }, { containers: ['b'] })).toBe(
      'unclassified: expected a map[string]interface {}, but received a string',
    );
  });
});

describe('$patch', () => {
  it('replaces or empties an object', () => {
    expect(spec({ nodeSelector: { a: '1' } }, { nodeSelector: { $patch: 'replace', b: '2' } })).toEqual({
      nodeSelector: { b: '2' },
    });
    expect(spec({ nodeSelector: { a: '1' } }, { nodeSelector: { $patch: 'delete', b: '2' } })).toEqual({
      nodeSelector: {},
    });
    expect(apply({ spec: {} }, { $patch: 'replace', kind: 'Pod' })).toEqual({ kind: 'Pod' });
  });

  it('must be known', () => {
    expect(spec({}, { $patch: 'merge' })).toBe('unclassified: unknown patch type: merge in map: map[$patch:merge]');
    expect(spec({}, { $patch: 5, a: null })).toBe(
      'unclassified: unknown patch type: %!s(int64=5) in map: map[$patch:5 a:<nil>]',
    );
    expect(spec({ containers: named('a') }, { containers: [{ $patch: 'bogus' }] })).toBe(
      'unclassified: unknown patch type: bogus in map: map[$patch:bogus]',
    );
    expect(spec({ containers: named('a') }, { containers: [{ $patch: 'merge' }] })).toBe(
      'unclassified: merging lists cannot yet be specified in the patch',
    );
  });

  it('deletes elements of a list by key', () => {
    expect(spec({ containers: named('a', 'b', 'a') }, { containers: [{ name: 'a', $patch: 'delete' }] })).toEqual({
      containers: named('b'),
    });
    expect(spec({ containers: named('a') }, { containers: [{ $patch: 'delete' }] })).toBe(
      'unclassified: map: map[$patch:delete] does not contain declared merge key: name',
    );
  });

  it('replaces a list by the other elements of the patch', () => {
    expect(spec({ containers: named('a', 'b') }, { containers: [{ name: 'c' }, { $patch: 'replace' }] })).toEqual({
      containers: named('c'),
    });
  });
});

describe('$setElementOrder', () => {
  it('orders patched elements, and keeps the others in their places', () => {
    const result = spec(
      { containers: named('a', 'b', 'c', 'd') },
      { containers: named('e'), '$setElementOrder/containers': named('d', 'e', 'b') },
    ) as JsonObject;
    expect(names(result['containers'] as JsonValue)).toEqual(['a', 'c', 'd', 'e', 'b']);
  });

  it('orders without any change of content', () => {
    expect(metadata({ finalizers: ['a', 'b', 'c'] }, { '$setElementOrder/finalizers': ['c', 'a'] })).toEqual({
      finalizers: ['b', 'c', 'a'],
    });
    expect(metadata({}, { '$setElementOrder/finalizers': ['c', 'a'] })).toEqual({});
  });

  it('orders a list that is new', () => {
    expect(
      spec(
        {},
        { containers: [...named('a'), { name: 'x', $patch: 'delete' }], '$setElementOrder/containers': named('a') },
      ),
    ).toEqual({ containers: named('a') });
  });

  it('orders added elements by the places of deleted ones', () => {
    const result = spec(
      { containers: named('a', 'b', 'c') },
      { containers: [{ name: 'a', $patch: 'delete' }, { name: 'd' }], '$setElementOrder/containers': named('d') },
    ) as JsonObject;
    expect(names(result['containers'] as JsonValue)).toEqual(['b', 'c', 'd']);
  });

  it('must agree with the list of the patch', () => {
    expect(metadata({ finalizers: ['a'] }, { finalizers: ['b', 'c'], '$setElementOrder/finalizers': ['c', 'b'] })).toBe(
      "unclassified: The order in patch list:\n[b c]\n doesn't match $setElementOrder list:\n[c b]\n",
    );
  });

  it('must be a list and name a list', () => {
    expect(metadata({}, { '$setElementOrder/finalizers': {} })).toBe(
      'unclassified: expected a []interface {}, but received a map[string]interface {}',
    );
    expect(metadata({ finalizers: ['a'] }, { finalizers: null, '$setElementOrder/finalizers': [] })).toBe(
      'unclassified: expected a []interface {}, but received a %!s(<nil>)',
    );
    expect(metadata({}, { $setElementOrder: [] })).toBe('invalid-patch: invalid patch format of setElementOrder list');
    expect(metadata({}, { '$setElementOrder/name': [] })).toBe(
      'unclassified: expected slice or array type, but got: struct',
    );
    expect(spec({ securityContext: {} }, { securityContext: { '$setElementOrder/bogus': [] } })).toBe(
      'unclassified: unable to find api field in struct PodSecurityContext for the json field "bogus"',
    );
    expect(
      spec(
        { volumes: [{ name: 'v', hostPath: {} }] },
        { volumes: [{ name: 'v', hostPath: { '$setElementOrder/path': [] } }] },
      ),
    ).toBe('unclassified: expected slice or array type, but got: ptr');
    expect(metadata({}, { '$setElementOrder/bogus': [] })).toBe(
      'unclassified: unable to find api field in struct ObjectMeta for the json field "bogus"',
    );
    expect(metadata({}, { '$setElementOrder/FINALIZERS': [] })).toEqual({});
    expect(spec({ securityContext: {} }, { securityContext: { '$setElementOrder/runAsUser': [] } })).toEqual({
      securityContext: {},
    });
    expect(metadata({ finalizers: [] }, { '$setElementOrder/finalizers': [] })).toBe(
      'unclassified: no elements in any of the given slices',
    );
    expect(spec({ containers: named('a') }, { '$setElementOrder/containers': ['a'] })).toBe(
      'unclassified: value for key 0 is not a map',
    );
  });
});

describe('$deleteFromPrimitiveList', () => {
  it('removes scalars', () => {
    expect(
      metadata({ finalizers: ['a', 'b', 'c'] }, { '$deleteFromPrimitiveList/finalizers': ['a', 'c', 'x'] }),
    ).toEqual({
      finalizers: ['b'],
    });
    expect(metadata({}, { '$deleteFromPrimitiveList/finalizers': ['a'] })).toEqual({});
  });

  it('must name a field', () => {
    expect(metadata({}, { $deleteFromPrimitiveList: [] })).toBe(
      'invalid-patch: invalid patch format of primitive list',
    );
  });

  it('of null removes the field, as in the reference', () => {
    expect(metadata({ finalizers: ['a'] }, { '$deleteFromPrimitiveList/finalizers': null })).toEqual({});
  });
});

describe('$retainKeys', () => {
  it('clears the fields that are not listed', () => {
    expect(
      apply(
        { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
        { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
        deploymentView,
      ),
    ).toEqual({ spec: { strategy: { type: 'Recreate' } } });
    expect(
      spec(
        { volumes: [{ name: 'v', emptyDir: {} }] },
        { volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/' }, emptyDir: null }] },
      ),
    ).toEqual({ volumes: [{ name: 'v', hostPath: { path: '/' } }] });
  });

  it('must list every field that the patch sets', () => {
    for (const listed of [[], {}, [{}], ['nodeName', []]]) {
      expect(spec({}, { $retainKeys: listed, hostNetwork: true })).toBe(
        'invalid-patch: invalid patch format of retainKeys',
      );
    }
  });
});

describe('a strategic merge patch', () => {
  it('must be an object; null changes nothing', () => {
    expect(apply({ a: 1 }, null)).toEqual({ a: 1 });
    expect(apply({}, [])).toBe(
      'invalid-patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    );
  });

  it('may not be too deep', () => {
    const view: TypeView = struct('Node', { a: { type: () => view } });
    let deep: JsonObject = {};
    for (let i = 1; i < MAX_PATCH_DEPTH; i++) deep = { a: deep };
    expect(apply(cloneJson(deep), deep, view)).toEqual(deep);
    expect(apply(cloneJson(deep), { a: deep }, view)).toBe('invalid-patch: exceeded max depth');
  });

  it('may not take too much work', () => {
    const ports = Array.from({ length: 100 }, (_, i) => ({ containerPort: i }));
    const containers = Array.from({ length: 100 }, () => ({ name: 'a', '$setElementOrder/ports': [] }));
    const original = { spec: { containers: [{ name: 'a', ports }] } };
    const patch = { spec: { containers } };
    expect(applyStrategicMergePatch(cloneJson(original), patch, podView).ok).toBe(true);
    expect(applyStrategicMergePatch(original, patch, podView, { maxWork: 20_000 })).toEqual({
      ok: false,
      error: {
        code: 'too-large',
        message: 'the strategic merge patch takes too many steps',
        path: 'spec.containers.[name=a].ports',
      },
    });
  });

  it('is not changed and shares nothing with the result, which is the original', () => {
    const original = { spec: { containers: [{ name: 'a' }], nodeSelector: { a: '1' } } };
    const patch = {
      spec: {
        nodeSelector: { b: '2' },
        tolerations: [{ key: 'x' }],
        containers: [
          { name: 'b', env: [{ name: 'e' }] },
          { name: 'a', $retainKeys: ['name'] },
        ],
        '$setElementOrder/containers': named('b', 'a'),
      },
    };
    const before = cloneJson(patch);
    const result = applyStrategicMergePatch(original, patch, podView);
    expect(result.ok && result.value).toBe(original);
    const changed = original.spec as unknown as typeof patch.spec;
    changed.tolerations[0]!.key = 'y';
    changed.containers[0]!.env!.push({ name: 'f' });
    expect(patch).toEqual(before);
  });

  it('cannot reach a prototype', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"metadata":{"labels":{"__proto__":"x"}}}');
    const result = apply({ metadata: { labels: {} } }, patch) as JsonObject;
    expect(Object.keys(result)).toEqual(['metadata', '__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(apply({}, JSON.parse('{"$setElementOrder/__proto__":[]}'))).toBe(
      'unclassified: unable to find api field in struct Pod for the json field "__proto__"',
    );
  });
});
