import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { fieldSet } from './field-set.fixtures.ts';
import { EMPTY_SET, equalSets, fieldSetOf } from './field-set.ts';
import { readFieldsV1, writeFieldsV1 } from './fields-v1.ts';
import { IndexElement, keyElement, ValueElement } from './path-element.ts';

const read = (text: string) => readFieldsV1(JSON.parse(text) as JsonValue);

describe('FieldsV1', () => {
  it('writes elements in the order of structured-merge-diff', () => {
    const set = fieldSetOf(
      ['spec', 'ports', keyElement({ protocol: 'TCP', containerPort: 80 })],
      ['spec', 'ports', keyElement({ protocol: 'TCP', containerPort: 9 }), 'name'],
      ['spec', new ValueElement('b')],
      ['spec', new IndexElement(0)],
      ['metadata'],
      ['metadata', 'labels', 'app'],
    );
    expect(writeJson(writeFieldsV1(set), { escapeHtml: false })).toBe(
      '{"f:metadata":{".":{},"f:labels":{"f:app":{}}},"f:spec":{"f:ports":{' +
        '"k:{\\"containerPort\\":9,\\"protocol\\":\\"TCP\\"}":{"f:name":{}},' +
        '"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{}},"v:\\"b\\"":{},"i:0":{}}}',
    );
  });

  it('escapes HTML inside values, as the reference does', () => {
    const set = fieldSetOf([new ValueElement('<a>')], [keyElement({ '<k>': '&\u2028' })], ['<f>']);
    expect(Object.keys(writeFieldsV1(set))).toEqual(['f:<f>', 'k:{"<k>":"\\u0026\\u2028"}', 'v:"\\u003ca\\u003e"']);
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const result = readFieldsV1(writeFieldsV1(set));
        return result.ok && equalSets(result.set, set);
      }),
    );
  });

  it('reads keys in any order and writes them in its own', () => {
    const result = read('{"v:2":{},"f:b":{"f:c":{},".":{}},"f:a":null,"k:{\\"b\\":1,\\"a\\":2}":{}}');
    expect(result.ok && writeJson(writeFieldsV1(result.set))).toBe(
      '{"f:a":{},"f:b":{".":{},"f:c":{}},"k:{\\"a\\":2,\\"b\\":1}":{},"v:2":{}}',
    );
  });

  it('joins two spellings of one element', () => {
    const result = read('{"i:5":{"f:a":{},".":{}},"i:+5":{"f:b":{}}}');
    expect(result.ok && writeJson(writeFieldsV1(result.set))).toBe('{"i:5":{".":{},"f:b":{}}}');
  });

  it('drops kinds of elements that it does not know, with what is below them', () => {
    const result = read('{"x:new":{"f:a":{}},"f:b":{"y:other":{}}}');
    expect(result.ok && writeJson(writeFieldsV1(result.set))).toBe('{"f:b":{}}');
  });

  it('takes an empty object, null and a dot alone for the empty set', () => {
    for (const text of ['{}', 'null', '{".":{}}']) expect(read(text)).toEqual({ ok: true, set: EMPTY_SET });
  });

  it.each([
    ['[]', 'expected an object, got []'],
    ['{"f:a":1}', 'expected an object, got 1'],
    ['{"a":{}}', 'key must be 2 characters long: "a"'],
    ['{"fa":{}}', 'missing colon: fa'],
    ['{"k:{":{}}', 'not a JSON object: k:{'],
    ['{"k:[]":{}}', 'not a JSON object: k:[]'],
    ['{"v:":{}}', 'not a JSON value: v:'],
    ['{"i:x":{}}', 'not an index: i:x'],
  ])('refuses %s', (text, message) => {
    expect(read(text)).toEqual({ ok: false, message });
  });

  it('refuses more than 1,000 levels without exhausting the stack', () => {
    let deep: JsonValue = {};
    for (let i = 0; i < 9000; i++) deep = { 'f:a': deep };
    expect(readFieldsV1(deep)).toEqual({ ok: false, message: 'nested more than 1000 levels deep' });
  });

  it('reads a hundred thousand keys in reverse order in bounded time', () => {
    const fields: Record<string, JsonValue> = {};
    for (let i = 100_000; i > 0; i--) fields[`f:${String(i).padStart(6, '0')}`] = {};
    const result = readFieldsV1(fields);
    expect(result.ok && result.set.size).toBe(100_000);
  });
});
