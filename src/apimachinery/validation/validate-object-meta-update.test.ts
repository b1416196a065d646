import { describe, expect, it } from 'vitest';
import { formatIssue } from './field-issue.ts';
import { FieldPath } from './field-path.ts';
import type { ObjectMetaFacts } from './validate-object-meta.ts';
import { validateObjectMetaUpdate } from './validate-object-meta-update.ts';

const stored: ObjectMetaFacts = {
  name: 'a',
  namespace: 'default',
  uid: 'u1',
  resourceVersion: '5',
  generation: 2,
  creationTimestamp: '2020-01-01T00:00:00Z',
};

function issues(next: ObjectMetaFacts, old: ObjectMetaFacts = stored): string[] {
  return validateObjectMetaUpdate({ ...stored, ...next }, old, FieldPath.of('metadata')).map(formatIssue);
}

describe('validateObjectMetaUpdate', () => {
  it('accepts an unchanged object and changed labels', () => {
    expect(issues({})).toEqual([]);
    expect(issues({ labels: { a: 'b' }, generation: 3 })).toEqual([]);
  });

  it('refuses changes of fields that identify the object', () => {
    expect(issues({ name: 'b', namespace: 'x', uid: 'u<2' })).toEqual([
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.namespace: Invalid value: "x": field is immutable',
      'metadata.uid: Invalid value: "u\\u003c2": field is immutable',
    ]);
  });

  it('keeps times, but lets one instant be written in two ways', () => {
    expect(issues({ creationTimestamp: '2020-01-01T01:00:00+01:00' })).toEqual([]);
    expect(issues({ creationTimestamp: null, deletionTimestamp: '2021-01-01T00:00:00Z' })).toEqual([
      'metadata.creationTimestamp: Invalid value: null: field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2021-01-01T00:00:00Z": field is immutable',
    ]);
    expect(issues({ deletionGracePeriodSeconds: 0 })).toEqual([
      'metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable',
    ]);
  });

  it('asks for the revision and a generation that does not fall', () => {
    expect(issues({ resourceVersion: '', generation: 1 })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
    ]);
  });

  it('lets a deleted object lose finalizers, never gain them', () => {
    const old = { ...stored, deletionTimestamp: '2021-01-01T00:00:00Z', finalizers: ['a', 'b'] };
    expect(issues({ ...old, finalizers: ['b'] }, old)).toEqual([]);
    expect(issues({ ...old, finalizers: ['z', 'b', 'c'] }, old)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c", "z"}',
    ]);
    expect(issues({ finalizers: ['new'] })).toEqual([]);
  });

  it('checks labels, annotations, owners and managers as on creation', () => {
    const next = {
      labels: { '-': '' },
      annotations: { '-': '' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }],
      managedFields: [{}],
    };
    expect(issues(next).map((text) => text.split(':')[0])).toEqual([
      'metadata.labels',
      'metadata.annotations',
      'metadata.ownerReferences.uid',
      'metadata.managedFields[0].operation',
    ]);
  });
});
