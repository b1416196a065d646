import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { formatIssue } from '../validation/field-issue.ts';
import {
  annotationsOf,
  finalizersOf,
  gvkOfObject,
  isTerminating,
  labelsOf,
  nameOf,
  namespaceOf,
  ownerReferencesOf,
  readListMeta,
  readObjectMeta,
  readTypeMeta,
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
  it('is read from a good object without complaint', () => {
    const { meta, issues } = readObjectMeta(pod);
    expect(issues).toEqual([]);
    const { creationTimestamp, ...rest } = pod['metadata'] as JsonObject;
    expect(creationTimestamp).toBeNull();
    expect(meta).toEqual(rest);
    expect(meta.labels).toBe((pod['metadata'] as JsonObject)['labels']);
  });

  it('is read field by field', () => {
    expect([nameOf(pod), namespaceOf(pod), uidOf(pod), resourceVersionOf(pod)]).toEqual(['p', 'd', 'u', '7']);
    expect(gvkOfObject(pod)).toEqual({ group: '', version: 'v1', kind: 'Pod' });
    expect(labelsOf(pod)).toEqual({ app: 'x' });
    expect(annotationsOf(pod)).toEqual({});
    expect(finalizersOf(pod)).toEqual(['f']);
    expect(ownerReferencesOf(pod)[0]?.controller).toBe(true);
    expect(isTerminating(pod)).toBe(true);
  });

  it('is empty where it is absent or null', () => {
    for (const object of [{}, { metadata: null }, { metadata: {} }]) {
      expect(readObjectMeta(object)).toEqual({ meta: {}, issues: [] });
      expect(nameOf(object)).toBe('');
      expect(isTerminating(object)).toBe(false);
    }
  });

  it('leaves out what has a wrong type, and says so', () => {
    const { meta, issues } = readObjectMeta({
      metadata: {
        name: 5,
        namespace: 'd',
        generation: 1.5,
        labels: { a: 'b', c: 1, d: null },
        finalizers: ['x', {}],
        ownerReferences: ['o', { name: [], uid: 'u' }],
        managedFields: {},
      },
    });
    expect(meta).toEqual({
      namespace: 'd',
      labels: { a: 'b', d: '' },
      finalizers: ['x'],
      ownerReferences: [{ uid: 'u' }],
    });
    expect(issues.map(formatIssue)).toEqual([
      'metadata.name: Invalid value: 5: must be a string',
      'metadata.generation: Invalid value: 1.5: must be an integer of 64 bits',
      'metadata.labels[c]: Invalid value: 1: must be a string',
      'metadata.ownerReferences[0]: Invalid value: "o": must be an object',
      'metadata.ownerReferences[1].name: Invalid value: []: must be a string',
      'metadata.finalizers[1]: Invalid value: {}: must be a string',
      'metadata.managedFields: Invalid value: {}: must be a list',
    ]);
    expect(readObjectMeta({ metadata: [] }).issues.map(formatIssue)).toEqual([
      'metadata: Invalid value: []: must be an object',
    ]);
  });

  it('of lists and types is read alike', () => {
    expect(readListMeta({ metadata: { resourceVersion: '1', remainingItemCount: 3 } }).meta).toEqual({
      resourceVersion: '1',
      remainingItemCount: 3,
    });
    const type = readTypeMeta({ apiVersion: 1, kind: 'X' });
    expect(type.meta).toEqual({ kind: 'X' });
    expect(type.issues.map(formatIssue)).toEqual(['apiVersion: Invalid value: 1: must be a string']);
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
          expect(readObjectMeta(object).issues.length).toBeGreaterThanOrEqual(0);
          expect(finalizersOf(object).every((f) => typeof f === 'string')).toBe(true);
          expect(Object.values(labelsOf(object)).every((f) => typeof f === 'string')).toBe(true);
          expect(Array.isArray(ownerReferencesOf(object))).toBe(true);
        },
      ),
      { seed: 20246, numRuns: 300 },
    );
  });
});
