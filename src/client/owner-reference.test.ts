import { describe, expect, it } from 'vitest';
import { controllerReferenceOf, isControlledBy, ownerReference } from './owner-reference.ts';

const OWNER = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', uid: 'u1' } };

describe('an owner reference', () => {
  it('has the fields of the owner, and flags only if they are set', () => {
    const plain = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1' };
    expect(ownerReference(OWNER)).toEqual(plain);
    expect(ownerReference(OWNER, { controller: true })).toEqual({
      ...plain,
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(ownerReference(OWNER, { controller: true, blockOwnerDeletion: false })).toEqual({
      ...plain,
      controller: true,
    });
    expect(ownerReference(OWNER, { blockOwnerDeletion: true })).toEqual({ ...plain, blockOwnerDeletion: true });
  });

  it('tells the controller by its uid', () => {
    const other = ownerReference({ ...OWNER, metadata: { name: 'web', uid: 'u0' } });
    const object = { metadata: { ownerReferences: [other, ownerReference(OWNER, { controller: true })] } };
    expect(controllerReferenceOf(object)?.uid).toBe('u1');
    expect(isControlledBy(object, OWNER)).toBe(true);
    expect(isControlledBy(object, { metadata: { name: 'web', uid: 'u0' } })).toBe(false);
    expect(isControlledBy({ metadata: { ownerReferences: [other] } }, OWNER)).toBe(false);
    expect(isControlledBy({}, OWNER)).toBe(false);
  });
});
