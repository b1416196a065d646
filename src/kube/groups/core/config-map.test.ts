import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { configMapTable, validateConfigMap, validateConfigMapUpdate } from './config-map.ts';

const metadata = { name: 'a', namespace: 'b' };
const complaints = (object: JsonObject) => validateConfigMap({ metadata, ...object }).map(formatIssue);

describe('a ConfigMap', () => {
  test('has keys that are valid file names', () => {
    expect(complaints({ data: { 'a.b-c_D': '' } })).toEqual([]);
    expect(complaints({ data: { '..': '' } })).toEqual(['data[..]: Invalid value: "..": must not be \'..\'']);
    expect(complaints({ binaryData: { 'a b': '' } })[0]).toMatch(
      /^binaryData\[a b\]: Invalid value: "a b": a valid config key/,
    );
  });

  test('has each key only once in data and binaryData', () => {
    expect(complaints({ data: { k: '' }, binaryData: { k: '' } })).toEqual([
      'data[k]: Invalid value: "k": duplicate of key present in binaryData',
    ]);
  });

  test('holds at most a mebibyte of values, counted in bytes', () => {
    const half = 'x'.repeat(512 * 1024);
    const binary = Buffer.from(half).toString('base64');
    expect(complaints({ data: { a: half }, binaryData: { b: binary } })).toEqual([]);
    expect(complaints({ data: { a: half, c: 'é' }, binaryData: { b: binary } })).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ]);
  });

  test('with immutable set keeps its data and stays immutable', () => {
    const old = { metadata: { ...metadata, resourceVersion: '1' }, data: { a: 'b' }, immutable: true };
    const update = (object: JsonObject) =>
      validateConfigMapUpdate({ metadata: old.metadata, ...object }, old).map(formatIssue);
    expect(update({ data: { a: 'b' }, immutable: true })).toEqual([]);
    expect(update({ data: { a: 'c' }, binaryData: { z: '' } })).toEqual([
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ]);
  });

  test('shows the number of its keys in a table', () => {
    const cells = configMapTable().cells({ metadata, data: { a: '' }, binaryData: { b: '', c: '' } }, 0);
    expect(cells).toEqual(['a', 3, '<unknown>']);
  });
});
