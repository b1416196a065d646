import { describe, expect, it } from 'vitest';
import { concatBytes, encodeUtf8 } from '../../../base/bytes.ts';
import {
  decodeEncryptedObject,
  type EncryptedObject,
  encodeEncryptedObject,
  encodeKeySource,
  type KeySource,
  sourceIdentity,
} from './encrypted-object.ts';

const SOURCE: KeySource = {
  type: 1,
  keyId: 'key-1',
  encrypted: Uint8Array.of(1, 2, 3),
  annotations: new Map([
    ['b.example.com', encodeUtf8('two')],
    ['a.example.com', encodeUtf8('one')],
  ]),
};
const PREFIX = encodeUtf8('k8s:enc:kms:v2:p:');

function encoded(change: Partial<EncryptedObject> = {}): Uint8Array {
  const { data = encodeUtf8('data'), ...source } = { ...SOURCE, ...change };
  return encodeEncryptedObject(PREFIX, data, encodeKeySource(source)).subarray(PREFIX.byteLength);
}

describe('an EncryptedObject', () => {
  it.each([0x7f, 0x80, 100_000])('of %i bytes is read as it was written', (size) => {
    const data = new Uint8Array(size).fill(7);
    const stored = encodeEncryptedObject(PREFIX, data, encodeKeySource(SOURCE));
    expect(stored.subarray(0, PREFIX.byteLength)).toEqual(PREFIX);
    const object = decodeEncryptedObject(stored.subarray(PREFIX.byteLength)) as EncryptedObject;
    expect(Buffer.compare(object.data, data)).toBe(0);
    expect({ ...object, data: undefined, encrypted: Uint8Array.from(object.encrypted) }).toMatchObject({
      type: 1,
      keyId: 'key-1',
      encrypted: SOURCE.encrypted,
    });
    expect([...object.annotations.keys()].sort()).toEqual(['a.example.com', 'b.example.com']);
  });

  it('has the bytes of protobuf in the order of the fields', () => {
    const bytes = encoded({ annotations: new Map([['a.b', Uint8Array.of(9)]]), data: Uint8Array.of(5) });
    expect([...bytes]).toEqual([
      ...[0x0a, 1, 5],
      ...[0x12, 5, ...encodeUtf8('key-1')],
      ...[0x1a, 3, 1, 2, 3],
      ...[0x22, 8, 0x0a, 3, ...encodeUtf8('a.b'), 0x12, 1, 9],
      ...[0x28, 1],
    ]);
  });

  it.each<[string, Partial<EncryptedObject>, RegExp]>([
    ['no data', { data: new Uint8Array(0) }, /^encrypted data is empty$/],
    ['no key id', { keyId: '' }, /key id: keyID is empty$/],
    ['a long key id', { keyId: 'k'.repeat(1025) }, /keyID is 1025 bytes, which exceeds the max size of 1024$/],
    ['no source', { encrypted: new Uint8Array(0) }, /encrypted DEK source is empty$/],
    ['a long source', { encrypted: new Uint8Array(1025) }, /encrypted DEK source is 1025 bytes, which exceeds/],
    ['an unknown type', { type: 2 }, /^unknown encryptedDEKSourceType: 2$/],
    ['an annotation without a domain', { annotations: new Map([['a', PREFIX]]) }, /annotations: Invalid value: "a"/],
    [
      'large annotations',
      { annotations: new Map([['a.b', new Uint8Array(33_000)]]) },
      /total size of annotations is 33003, which exceeds the max size of 32768$/,
    ],
  ])('with %s is refused', (_, change, reason) => {
    expect(decodeEncryptedObject(encoded(change))).toMatch(reason);
  });

  it('is refused if it is not protobuf or has malformed text', () => {
    expect(decodeEncryptedObject(encoded().subarray(0, -5))).toMatch(/^it is not an EncryptedObject: /);
    expect(decodeEncryptedObject(concatBytes([encoded(), Uint8Array.of(0x12, 1, 0xff)]))).toMatch(/invalid UTF-8/);
  });

  it('has the identity of its source, whatever the order of annotations', () => {
    const reversed = new Map([...SOURCE.annotations].reverse());
    expect(sourceIdentity({ ...SOURCE, annotations: reversed })).toBe(sourceIdentity(SOURCE));
    const others: Partial<KeySource>[] = [
      { type: 0 },
      { keyId: 'key-2' },
      { encrypted: Uint8Array.of(1, 2) },
      { annotations: new Map() },
    ];
    for (const other of others) expect(sourceIdentity({ ...SOURCE, ...other })).not.toBe(sourceIdentity(SOURCE));
  });
});
