import { describe, expect, it } from 'vitest';
import type { Stored } from './object-types.ts';
import { FieldsSharing } from './share-fields.ts';

interface ManagedObject {
  readonly metadata: { readonly managedFields: { manager: string; subresource?: string; fieldsV1?: unknown }[] };
}

/** Shares the fields of objects with one manager each, and returns the objects. */
function shared(...fields: [manager: string, fieldsV1: unknown][]): ManagedObject[] {
  const sharing = new FieldsSharing();
  return fields.map(([manager, fieldsV1]) => {
    const object: ManagedObject = { metadata: { managedFields: [{ manager, fieldsV1: structuredClone(fieldsV1) }] } };
    sharing.share(object as unknown as Stored<unknown>);
    return object;
  });
}

function fieldsOf(object: ManagedObject | undefined): unknown {
  return object?.metadata.managedFields[0]?.fieldsV1;
}

describe('fieldsV1 of the objects of a store', () => {
  const fields = { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': {} } };

  it('are shared and frozen if they are equal', () => {
    const [a, b] = shared(['x', fields], ['x', fields]);
    expect(fieldsOf(b)).toBe(fieldsOf(a));
    expect(fieldsOf(b)).toEqual(fields);
    expect(Object.isFrozen((fieldsOf(a) as typeof fields)['f:data'])).toBe(true);
  });

  it.each<[string, unknown]>([
    ['fewer fields', { 'f:data': { '.': {}, 'f:a': {} } }],
    ['more fields', { ...fields, 'f:spec': {} }],
    ['another field', { 'f:data': { '.': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': {} } }],
    ['a field of an inherited name', JSON.parse('{"f:data":{"__proto__":{},"f:a":{}},"f:metadata":{"f:labels":{}}}')],
    ['a value that is no set', { 'f:data': 1, 'f:metadata': {} }],
  ])('stay apart with %s', (_what, other) => {
    const [a, b] = shared(['x', fields], ['x', other]);
    expect(fieldsOf(a)).toEqual(fields);
    expect(fieldsOf(b)).toEqual(other);
    expect(fieldsOf(b)).not.toBe(fieldsOf(a));
  });

  it('are compared per manager, with a bound', () => {
    const managers = Array.from({ length: 200 }, (_, i): [string, unknown] => [`manager-${i}`, fields]);
    const objects = shared(...managers, ['manager-199', fields]);
    expect(fieldsOf(objects[200])).toBe(fieldsOf(objects[199]));
    expect(fieldsOf(objects[1])).not.toBe(fieldsOf(objects[0]));
  });

  it('may be absent', () => {
    const sharing = new FieldsSharing();
    const object = { metadata: { managedFields: [{ manager: 'x' }] } };
    sharing.share(object as unknown as Stored<unknown>);
    sharing.share({ metadata: {} } as unknown as Stored<unknown>);
    expect(object).toEqual({ metadata: { managedFields: [{ manager: 'x' }] } });
  });
});
