import { describe, expect, it } from 'vitest';
import { createFieldManager } from '../../apimachinery/managed-fields/managed-fields.fixtures.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { encodeStored, encodeUnstored, parseObject, storedObject } from './stored-object.ts';

const textOf = (metadata: JsonObject, rest: JsonObject = {}): string =>
  decodeUtf8(encodeStored({ kind: 'Thing', metadata, ...rest }));

describe('stored bytes', () => {
  it('have metadata in the order of ObjectMeta, without nulls and fields that are never stored', () => {
    const metadata = {
      managedFields: [],
      labels: { b: '1', a: '2' },
      creationTimestamp: null,
      resourceVersion: '7',
      selfLink: '/x',
      uid: 'u',
      other: 1,
      finalizers: null,
      generation: 12345678901234567890n,
      name: 'n',
    };
    const expected =
      '{"kind":"Thing","metadata":{"name":"n","uid":"u","generation":12345678901234567890,"labels":{"b":"1","a":"2"},"managedFields":[],"other":1}}';
    expect(textOf(metadata)).toBe(expected);
    expect(decodeUtf8(encodeUnstored({ metadata: { name: 'n', resourceVersion: '7' } }))).toBe(
      '{"metadata":{"resourceVersion":"7","name":"n"}}',
    );
  });

  it('do not change the object', () => {
    const object: JsonObject = { metadata: { uid: 'u', name: 'n' } };
    const { metadata } = object;
    encodeStored(object);
    expect(object['metadata']).toBe(metadata);
    expect(Object.keys(metadata as JsonObject)).toEqual(['uid', 'name']);
  });

  it('are the JSON of the object also where entries are shared', () => {
    const manager = createFieldManager();
    for (const text of ['a', 'größe', 'keelson.io/managedFields', '"keelson.io/managedFields"', '<&>', 'b']) {
      const object: JsonObject = {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: { name: text, labels: { [text]: 'x' } },
        spec: { text },
      };
      for (let i = 0; i < 3; i++) {
        const made = { ...object, metadata: { ...(object['metadata'] as JsonObject) } };
        expect(manager.update(undefined, made, { manager: 'm', now: '2030-01-01T00:00:00Z' })).toBeUndefined();
        expect(JSON.parse(decodeUtf8(encodeStored(made)))).toEqual(made);
        expect(decodeUtf8(encodeStored(made))).not.toContain('<');
      }
    }
  });

  it('are parsed to the object that was encoded as them, whether it was the last one or not', () => {
    const manager = createFieldManager();
    const objects = ['a', 'b', 'c'].map((name): JsonObject => {
      const metadata: JsonObject = { uid: 'u', resourceVersion: '7', selfLink: '/x', name, labels: null };
      return { apiVersion: 'example.com/v1', kind: 'Thing', metadata, spec: { name } };
    });
    for (const object of objects) {
      manager.update(undefined, object, { manager: 'm', now: '2030-01-01T00:00:00Z' });
      const bytes = encodeStored(object);
      const made = storedObject(bytes, 'k');
      expect(JSON.parse(JSON.stringify(made))).toEqual(parseObject(bytes, 'k'));
      encodeStored({ metadata: {} });
      expect(storedObject(bytes, 'k')).toEqual(parseObject(bytes, 'k'));
    }
  });
});
