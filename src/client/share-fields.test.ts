import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../base/bytes.ts';
import { readJson } from '../base/json-read.ts';
import type { JsonValue } from '../base/json-value.ts';
import { FieldsSharing, itemsOf, objectsOfEvents } from './share-fields.ts';

const FIELDS = { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': {}, 'k:{"ip":"}"}': {} } };

interface Managed {
  readonly metadata: { readonly managedFields: readonly { readonly fieldsV1?: unknown }[] };
}

/** An object with an entry of managedFields for each value, in the form in which Go prints it. */
function managed(...fields: unknown[]): object {
  const entries = fields.map((fieldsV1) => ({ manager: 'x', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1 }));
  return { metadata: { name: 'a', managedFields: entries } };
}

function fieldsOf(object: JsonValue | undefined): unknown {
  return (object as unknown as Managed).metadata.managedFields[0]?.fieldsV1;
}

/** Reads a list of objects. Returns its items. */
function readItems(sharing: FieldsSharing, ...items: unknown[]): readonly JsonValue[] {
  const value = sharing.read(JSON.stringify({ items }), itemsOf);
  expect(value).toEqual({ items });
  return itemsOf(value as JsonValue);
}

describe('fieldsV1 of the objects of a store', () => {
  it('are shared and frozen if they are equal, within a text and between texts', () => {
    const sharing = new FieldsSharing();
    const [a, b] = readItems(sharing, managed(FIELDS), managed(FIELDS));
    const [c] = readItems(sharing, managed(FIELDS));
    expect(fieldsOf(b)).toBe(fieldsOf(a));
    expect(fieldsOf(c)).toBe(fieldsOf(a));
    expect(Object.isFrozen((fieldsOf(a) as typeof FIELDS)['f:data'])).toBe(true);
  });

  it('are shared between the objects of watch events', () => {
    const events = [
      { type: 'ADDED', object: managed(FIELDS) },
      { type: 'BOOKMARK', object: { metadata: {} } },
      { type: 'MODIFIED', object: managed(FIELDS) },
    ];
    const value = new FieldsSharing().read(JSON.stringify(events), objectsOfEvents);
    expect(value).toEqual(events);
    const [a, , b] = objectsOfEvents(value as JsonValue);
    expect(fieldsOf(b)).toBe(fieldsOf(a));
  });

  it.each<[string, unknown]>([
    ['fewer fields', { 'f:data': { '.': {}, 'f:a': {} } }],
    ['more fields', { ...FIELDS, 'f:spec': {} }],
    ['no fields', {}],
    ['a field of an inherited name', JSON.parse('{"f:data":{"__proto__":{}}}')],
    ['a value that is not a set', { 'f:data': 1 }],
    ['a string', '0'],
    ['null', null],
  ])('stay apart with %s', (_what, other) => {
    const [a, b] = readItems(new FieldsSharing(), managed(FIELDS), managed(other));
    expect(fieldsOf(a)).toEqual(FIELDS);
    expect(fieldsOf(b)).toEqual(other);
  });

  it('are kept up to a bound, those used last', () => {
    const sharing = new FieldsSharing();
    const [first] = readItems(sharing, managed(FIELDS));
    for (let i = 0; i < 100; i++) readItems(sharing, managed({ [`f:${i}`]: {} }), managed(FIELDS));
    expect(fieldsOf(readItems(sharing, managed(FIELDS))[0])).toBe(fieldsOf(first));
    for (let i = 0; i < 100; i++) readItems(sharing, managed({ [`f:${i}`]: {} }));
    expect(fieldsOf(readItems(sharing, managed(FIELDS))[0])).not.toBe(fieldsOf(first));
  });

  it('are read as they are where they are not those of the object', () => {
    const template = { spec: { template: managed(FIELDS), text: JSON.stringify(managed(FIELDS)) } };
    readItems(new FieldsSharing(), { ...managed(FIELDS, { 'f:x': {} }), ...template });
    readItems(new FieldsSharing(), { metadata: {}, ...template }, 1, null, managed());
  });

  it.each(['', '{"items":', '{"items":[1e3]}', `{"a"${',"fieldsType":"FieldsV1","fieldsV1":{'}`, '\ufeff{}'])(
    'leave the text %j to another reader',
    (text) => {
      expect(new FieldsSharing().read(text, itemsOf)).toBeUndefined();
    },
  );

  it('may have large numbers elsewhere in the text, which another reader reads', () => {
    const text = JSON.stringify({ items: [managed(FIELDS)] }).replace('"name":"a"', '"generation":12345678901234567');
    expect(new FieldsSharing().read(text, itemsOf)).toBeUndefined();
    expect(readJson(encodeUtf8(text)).ok).toBe(true);
  });
});
