import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { dropMalformedMetadata, normalizeMetadata, repairMetadata } from './object-metadata-form.ts';

describe('metadata of a body', () => {
  it('takes the form of ObjectMeta and tells what it does not have', () => {
    const object: JsonObject = {
      metadata: { name: 'a', labels: {}, annotations: null, foo: 1, ownerReferences: [{ bar: 2 }] },
    };
    expect(normalizeMetadata(object)).toEqual({
      ok: true,
      problems: ['unknown field "metadata.foo"', 'unknown field "metadata.ownerReferences[0].bar"'],
    });
    expect(object['metadata']).toMatchObject({ name: 'a' });
    expect(object['metadata']).not.toHaveProperty('foo');
    expect(object['metadata']).not.toHaveProperty('annotations');
  });

  it.each<[JsonObject, string]>([
    [{ metadata: 'x' }, 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])('of a wrong type is refused: %o', (object, message) => {
    expect(normalizeMetadata(object)).toEqual({ ok: false, message });
  });

  it('may be absent or null', () => {
    const object: JsonObject = { metadata: null };
    expect(normalizeMetadata(object)).toEqual({ ok: true, problems: [] });
    expect(object).toEqual({ metadata: {} });
    expect(normalizeMetadata({})).toEqual({ ok: true, problems: [] });
  });
});

describe('metadata of a stored object', () => {
  it('loses what does not fit, and gets a generation', () => {
    const object: JsonObject = { metadata: { name: 'a', labels: 'x', resourceVersion: '5' } };
    repairMetadata(object);
    expect(object['metadata']).toEqual({ name: 'a', generation: 1, resourceVersion: '5' });
  });
});

describe('finalizers', () => {
  const named = (...finalizers: string[]): JsonObject => ({ metadata: { finalizers } });

  it('that are new and without a domain are warned about, in order', () => {
    expect(finalizerWarnings(named('b.example', 'a', 'x.test/y', 'orphan', 'old'), named('old'))).toEqual([
      'metadata.finalizers: "a": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "b.example": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
    expect(finalizerWarnings(named(), undefined)).toEqual([]);
  });
});

it('metadata that a plugin left has no field of a wrong type, and its null labels have their zero value', () => {
  const object = { metadata: { name: 'x', labels: { a: null, b: 'c' }, finalizers: 'no list' } };
  expect(dropMalformedMetadata(object)).toMatchObject({ name: 'x', labels: { a: '', b: 'c' } });
  expect(object.metadata).not.toHaveProperty('finalizers');
});
