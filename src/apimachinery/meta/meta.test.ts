import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import {
  annotationsOf,
  finalizersOf,
  isTerminating,
  labelsOf,
  nameOf,
  namespaceOf,
  ownerReferencesOf,
  resourceVersionOf,
  uidOf,
} from './meta.ts';

const pod: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'd',
    uid: 'u',
    resourceVersion: '7',
    generation: 9007199254740993n,
    labels: { app: 'x' },
    annotations: {},
    finalizers: ['f'],
    deletionTimestamp: '2024-01-01T00:00:00Z',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'o', controller: true }],
    creationTimestamp: null,
  },
};

describe('metadata', () => {
  it('is read field by field', () => {
    expect([nameOf(pod), namespaceOf(pod), uidOf(pod), resourceVersionOf(pod)]).toEqual(['p', 'd', 'u', '7']);
    expect(labelsOf(pod)).toEqual({ app: 'x' });
    expect(annotationsOf(pod)).toEqual({});
    expect(finalizersOf(pod)).toEqual(['f']);
    expect(ownerReferencesOf(pod)[0]?.controller).toBe(true);
    expect(isTerminating(pod)).toBe(true);
  });

  it('is empty where it is absent or null', () => {
    for (const object of [{}, { metadata: null }, { metadata: {} }]) {
      expect(nameOf(object)).toBe('');
      expect(isTerminating(object)).toBe(false);
    }
  });

  it('leaves out fields of a wrong type, and takes null for an empty label', () => {
    const object: JsonObject = {
      metadata: {
        name: 5,
        namespace: 'd',
        labels: { a: 'b', c: 1, d: null },
        finalizers: ['x', {}],
        ownerReferences: ['o', { name: [], uid: 'u', controller: null }],
      },
    };
    expect([nameOf(object), namespaceOf(object)]).toEqual(['', 'd']);
    expect(labelsOf(object)).toEqual({ a: 'b', d: '' });
    expect(finalizersOf(object)).toEqual(['x']);
    expect(ownerReferencesOf(object)).toEqual([{ uid: 'u' }]);
    expect(nameOf({ metadata: [] })).toBe('');
  });

  it('is not copied where every label is a string', () => {
    expect(labelsOf(pod)).toBe((pod['metadata'] as JsonObject)['labels']);
  });

  it('keeps a key called __proto__', () => {
    const labels = JSON.parse('{"__proto__":"x","a":null}') as JsonObject;
    expect(Object.keys(labelsOf({ metadata: { labels } }))).toEqual(['__proto__', 'a']);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('name', 'labels', 'finalizers', 'ownerReferences'), fc.jsonValue()),
        (m) => {
          const object = { metadata: m } as JsonObject;
          expect(finalizersOf(object).every((f) => typeof f === 'string')).toBe(true);
          expect(Object.values(labelsOf(object)).every((f) => typeof f === 'string')).toBe(true);
          expect(Array.isArray(ownerReferencesOf(object))).toBe(true);
        },
      ),
      { seed: 20246, numRuns: 300 },
    );
  });
});
