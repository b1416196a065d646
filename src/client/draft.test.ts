import { describe, expect, expectTypeOf, it } from 'vitest';
import { Deployment } from '../kinds/api/apps/v1.ts';
import type { Api } from './api.ts';
import { createClient } from './create-client.ts';
import { draft, stringify } from './draft.ts';
import type { Draft, ObjectBase, Stored, UntypedObject } from './object-types.ts';
import { json, scripted } from './scripted-transport.fixtures.ts';

const STORED = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', uid: 'u', resourceVersion: '1', generation: 9007199254740993n },
  spec: { selector: {}, template: {}, replicas: 1 },
} as const;

interface Foo extends ObjectBase {
  spec: { replicas: number };
}

describe('a draft', () => {
  it('is a copy that is not frozen, and can be sent back', async () => {
    const stored: Stored<Deployment> = Object.freeze(structuredClone(STORED));
    const next = draft(stored);
    if (next.spec !== undefined) next.spec.replicas = 2;
    next.metadata.labels = { a: 'b' };
    expect(stored.spec?.replicas).toBe(1);
    expect(next).toMatchObject({
      metadata: { generation: 9007199254740993n, labels: { a: 'b' } },
      spec: { replicas: 2 },
    });
    const script = scripted(json(STORED.spec));
    await createClient(script.transport).api(Deployment, 'n').update(next);
    expect(script.bodies()).toMatchObject([{ metadata: { labels: { a: 'b' } }, spec: { replicas: 2 } }]);
  });

  it('of a stored object has the type that writes accept', () => {
    type Written<T> = Parameters<Api<T>['update']>[0];
    expectTypeOf<Draft<Stored<Deployment>>>().toExtend<Written<Deployment>>();
    expectTypeOf<Stored<Deployment>>().toExtend<Written<Deployment>>();
    expectTypeOf<Stored<Deployment>['kind']>().toEqualTypeOf<'Deployment'>();
    expectTypeOf<Draft<Stored<Foo>>>().toExtend<Written<Foo>>();
    expectTypeOf<Stored<Foo>['kind']>().toEqualTypeOf<string>();
    expectTypeOf<Draft<Stored<UntypedObject>>>().toExtend<Written<UntypedObject>>();
    expectTypeOf<Stored<UntypedObject>['spec']>().toEqualTypeOf<unknown>();
  });
});

describe('the text of a value', () => {
  it('has every digit of a bigint', () => {
    expect(stringify({ a: 9223372036854775807n, b: undefined, c: '<' })).toBe('{"a":9223372036854775807,"c":"<"}');
    expect(stringify({ a: [1n] }, { indent: 2 })).toBe('{\n  "a": [\n    1\n  ]\n}');
  });
});
