import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { StoredMetadata } from './stored-metadata.ts';

function shown(text: string): unknown {
  const metadata = new StoredMetadata();
  if (!metadata.read(encodeUtf8(text))) return undefined;
  const { apiVersion, kind, namespace, name, uid, hasOwners, beingDeleted } = metadata;
  return {
    id: [apiVersion, kind, namespace, name, uid],
    hasOwners,
    beingDeleted,
    owners: metadata.ownerReferences(),
    finalizers: metadata.finalizers(),
  };
}

describe('StoredMetadata', () => {
  it('finds the members of an object in any order', () => {
    const object = {
      spec: { metadata: { uid: 'nested' }, list: ['}', '"', { name: 'x' }] },
      kind: 'Pod',
      metadata: {
        labels: { uid: 'label', name: 'label' },
        finalizers: ['orphan', 'a/b'],
        managedFields: [{ fieldsV1: { 'f:metadata': { 'f:ownerReferences': {} } } }],
        uid: 'u-1',
        namespace: 'ns',
        name: 'web',
        ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u-0' }],
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
      apiVersion: 'v1',
      status: {},
    };
    const expected = {
      id: ['v1', 'Pod', 'ns', 'web', 'u-1'],
      hasOwners: true,
      beingDeleted: true,
      owners: object.metadata.ownerReferences,
      finalizers: object.metadata.finalizers,
    };
    expect(shown(JSON.stringify(object))).toEqual(expected);
    expect(shown(JSON.stringify(object, undefined, 2))).toEqual(expected);
  });

  it('returns empty values for absent, null and empty members', () => {
    const empty = { id: ['', '', '', 'a', ''], hasOwners: false, beingDeleted: false, owners: [], finalizers: [] };
    expect(shown('{"metadata":{"name":"a"}}')).toEqual(empty);
    expect(
      shown('{"metadata":{"name":"a","ownerReferences":null,"deletionTimestamp":null,"finalizers":[],"uid":null}}'),
    ).toEqual(empty);
    expect(shown('{"metadata":{"name":"a","ownerReferences":[]}}')).toEqual(empty);
  });

  it('reads strings with escapes', () => {
    expect(
      shown('{"kind":"K\\u006f","metadata":{"annotations":{"a":"\\"uid\\":\\"x\\""},"name":"é","uid":"u"}}'),
    ).toEqual(expect.objectContaining({ id: ['', 'Ko', '', 'é', 'u'] }));
  });

  it('returns nothing of the object that it read before', () => {
    const metadata = new StoredMetadata();
    metadata.read(encodeUtf8('{"kind":"A","metadata":{"ownerReferences":[{}],"uid":"1"}}'));
    expect(metadata.read(encodeUtf8('{"metadata":{}}'))).toBe(true);
    expect([metadata.kind, metadata.uid, metadata.hasOwners]).toEqual(['', '', false]);
  });

  it('refuses bytes without metadata, and ends for every cut of an object', () => {
    const text =
      '{"apiVersion":"v1","kind":"A","metadata":{"name":"a\\"","uid":"1","finalizers":["x"]},"spec":{"a":[1]}}';
    for (let end = 0; end < text.length; end++) expect(() => shown(text.slice(0, end))).not.toThrow();
    expect(shown('{"spec":{}}')).toBeUndefined();
    expect(shown('[]')).toBeUndefined();
    expect(shown('')).toBeUndefined();
  });
});
