import { describe, expect, it } from 'vitest';
import { formatIssue } from './field-issue.ts';
import { FieldPath } from './field-path.ts';
import { nameIsDnsSubdomain } from './name-rules.ts';
import { validateFieldManager } from './validate-managed-fields.ts';
import {
  ANNOTATIONS_MAX,
  type ObjectMetaFacts,
  validateAnnotations,
  validateObjectMeta,
} from './validate-object-meta.ts';

const path = FieldPath.of('metadata');

function issues(meta: ObjectMetaFacts, namespaced = true): string[] {
  const whole = { name: 'a', ...(namespaced ? { namespace: 'default' } : undefined), ...meta };
  return validateObjectMeta(whole, { namespaced, name: nameIsDnsSubdomain }, path).map(formatIssue);
}

describe('validateObjectMeta', () => {
  it('accepts ordinary metadata', () => {
    const meta = {
      labels: { app: 'web' },
      annotations: { 'Example.com/Note': 'any text\n' },
      finalizers: ['example.com/keep'],
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }],
      managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsType: 'FieldsV1' }],
      generation: 1,
    };
    expect(issues(meta)).toEqual([]);
  });

  it('asks for a name, and judges generateName as a prefix', () => {
    expect(issues({ name: '' })).toEqual(['metadata.name: Required value: name or generateName is required']);
    expect(issues({ generateName: 'a-' })).toEqual([]);
    expect(issues({ generateName: 'AB-' })[0]).toContain(
      'metadata.generateName: Invalid value: "AB-": a lowercase RFC 1123',
    );
  });

  it('asks for a namespace where there is one, and refuses it elsewhere', () => {
    expect(issues({ namespace: '' })).toEqual(['metadata.namespace: Required value']);
    expect(issues({ namespace: 'a.b' })).toEqual(['metadata.namespace: Invalid value: "a.b": must not contain dots']);
    expect(issues({ namespace: 'x' }, false)).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });

  it('refuses a negative generation, also one beyond doubles', () => {
    expect(issues({ generation: -9007199254740993n })).toEqual([
      'metadata.generation: Invalid value: -9007199254740993: must be greater than or equal to 0',
    ]);
  });
});

describe('annotations', () => {
  it('count keys and values in bytes', () => {
    expect(validateAnnotations({ a: 'v'.repeat(ANNOTATIONS_MAX - 1) }, path)).toEqual([]);
    const texts = validateAnnotations({ a: 'é'.repeat(ANNOTATIONS_MAX / 2) }, path).map(formatIssue);
    expect(texts).toEqual(['metadata: Too long: may not be more than 262144 bytes']);
  });

  it('have keys in any case; the message shows the key as it was', () => {
    expect(validateAnnotations({ 'EXAMPLE.com/A': '', '\u0130': '' }, path)).toEqual([]);
    expect(validateAnnotations({ 'A B': '' }, path).map(formatIssue)[0]).toContain(
      'metadata: Invalid value: "A B": name part',
    );
  });
});

describe('owner references', () => {
  const good = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

  it('need all their fields', () => {
    expect(issues({ ownerReferences: [{ apiVersion: 'a/b/c' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ]);
  });

  it('cannot name an event', () => {
    expect(issues({ ownerReferences: [{ ...good, kind: 'Event' }] })).toEqual([
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ]);
    expect(issues({ ownerReferences: [{ ...good, apiVersion: 'events.k8s.io/v1', kind: 'Event' }] })).toEqual([]);
  });

  it('have one controller at most', () => {
    const a = { ...good, controller: true };
    const b = { ...good, name: 'q', controller: true, blockOwnerDeletion: false };
    expect(issues({ ownerReferences: [a, { ...good, controller: false }, b] })).toEqual([
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":false},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"u","controller":true,"blockOwnerDeletion":false}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
    ]);
  });
});

describe('finalizers', () => {
  it('cannot both orphan and delete the dependents', () => {
    expect(issues({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('are qualified names', () => {
    expect(issues({ finalizers: ['a b'] })[0]).toContain('metadata.finalizers: Invalid value: "a b": name part');
  });
});

describe('managed fields', () => {
  it('may have more issues than one call takes arguments', () => {
    const count = 200_000;
    expect(issues({ managedFields: Array.from({ length: count }, () => ({})) })).toHaveLength(count);
    expect(issues({ finalizers: Array.from({ length: count }, () => '') }).length).toBeGreaterThanOrEqual(count);
  });

  it('name their operation and the one type of fields', () => {
    expect(
      issues({ managedFields: [{}, { operation: 'Update', fieldsType: 'V2', subresource: 's'.repeat(257) }] }),
    ).toEqual([
      'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`',
      'metadata.managedFields[1].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      'metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes',
    ]);
  });

  it('have a printable manager of 128 bytes', () => {
    const texts = (manager: string): string[] => validateFieldManager(manager, path).map(formatIssue);
    expect(texts('m'.repeat(128))).toEqual([]);
    expect(texts('m'.repeat(129))).toEqual(['metadata: Too long: may not be more than 128 bytes']);
    // Each issue would hold the whole name.
    expect(texts('\t'.repeat(20_000))).toEqual(['metadata: Too long: may not be more than 128 bytes']);
    expect(texts('é\tb\u00a0')).toEqual([
      'metadata: Invalid value: "é\\tb\\u00a0": invalid character U+0009 (at position 2)',
      'metadata: Invalid value: "é\\tb\\u00a0": invalid character U+00A0 (at position 4)',
    ]);
  });
});
