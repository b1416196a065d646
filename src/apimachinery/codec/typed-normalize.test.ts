import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { any, list, map, struct } from '../protobuf/core-facts.fixtures.ts';
import { createStructView, type FieldView, type StructView } from '../type-view.ts';
import { type NormalizeForm, normalizeTyped } from './typed-normalize.ts';

const inner = struct('v1.Inner', ['name', 1, 'string', '?'], ['size', 2, 'int32']);
const all = struct(
  'v1.All',
  ['kind', undefined, 'string'],
  ['text', 1, 'string', '?'],
  ['plainText', 2, 'string'],
  ['maybeText', 3, 'string', '?*'],
  ['flag', 4, 'boolean', '?'],
  ['maybeFlag', 5, 'boolean', '?*'],
  ['count', 6, 'int64', '?'],
  ['texts', 7, list('string'), '?'],
  ['plainTexts', 8, list('string')],
  ['labels', 9, map('string'), '?'],
  ['plainLabels', 10, map('string')],
  ['secrets', 11, map('bytes'), '?'],
  ['extra', 12, map(list('string')), '?'],
  ['inner', 13, inner, '?'],
  ['maybeInner', 14, inner, '?*'],
  ['inners', 15, list(inner), '?'],
);
const scalars = struct(
  'v1.Scalars',
  ['created', 1, 'time', '?0'],
  ['seen', 2, 'time', '?'],
  ['gone', 3, 'time', '?*'],
  ['micro', 4, 'micro-time', '?*'],
  ['amount', 5, 'quantity', '?*'],
  ['every', 6, 'duration', '?*'],
  ['bytes', 7, 'bytes', '?'],
  ['port', 8, 'int-or-string', '?*'],
  ['raw', 9, any('raw-extension'), '?*'],
);

function kept(value: JsonObject, view: StructView = all, form?: NormalizeForm): JsonObject {
  const result = normalizeTyped(value, view, form);
  if (!result.ok) throw new Error(result.message);
  return result.object;
}

function text(value: JsonObject, view: StructView = all, form?: NormalizeForm): string {
  return JSON.stringify(kept(value, view, form));
}

/** The field of a struct of scalars, normalised. Undefined if it equals the empty struct. */
function scalar(name: string, value: JsonValue): JsonValue | undefined {
  return kept({ [name]: value }, scalars)[name];
}

const EMPTY = '"plainText":"","plainTexts":null,"plainLabels":null,"inner":{"size":0}';

describe('normalizing a typed value', () => {
  it('writes the zero values that have no omitempty, and no others', () => {
    expect(text({})).toBe(`{${EMPTY}}`);
    expect(text({ text: '', flag: false, count: 0, texts: [], labels: {}, inners: [] })).toBe(`{${EMPTY}}`);
  });

  it('keeps zero values behind pointers', () => {
    expect(kept({ maybeText: '', maybeFlag: false, maybeInner: {} })).toMatchObject({
      maybeText: '',
      maybeFlag: false,
      maybeInner: { size: 0 },
    });
  });

  it('takes null for absent', () => {
    const nulls: JsonObject = {};
    for (const { name } of all.fields()) nulls[name] = null;
    expect(text(nulls)).toBe(`{${EMPTY}}`);
  });

  it('takes null inside lists and maps for a zero value', () => {
    expect(kept({ texts: ['a', null] }).texts).toEqual(['a', '']);
    expect(kept({ inners: [null, { name: 'x' }] }).inners).toEqual([{ size: 0 }, { name: 'x', size: 0 }]);
    expect(kept({ labels: { a: null } }).labels).toEqual({ a: '' });
    expect(kept({ secrets: { a: null }, extra: { b: null } })).toMatchObject({
      secrets: { a: null },
      extra: { b: null },
    });
  });

  it('drops unknown fields, with case-sensitive names', () => {
    const value = { Text: 'a', nosuch: { deep: 1 }, inner: { nosuch: 1, name: 'b' } };
    expect(text(value)).toBe('{"plainText":"","plainTexts":null,"plainLabels":null,"inner":{"name":"b","size":0}}');
  });

  it('puts fields into the order of the type and maps into that of their keys', () => {
    const value = { labels: { b: '1', '🚢': '2', '\ue000': '3', a: '4' }, text: 't', kind: 'All' };
    expect(text(value)).toBe(
      `{"kind":"All","text":"t","plainText":"","plainTexts":null,"labels":{"a":"4","b":"1","\ue000":"3","🚢":"2"},"plainLabels":null,"inner":{"size":0}}`,
    );
  });

  it('keeps a key called __proto__', () => {
    const labels: JsonObject = { b: 'x' };
    setField(labels, '__proto__', 'y');
    expect(JSON.stringify(kept({ labels }).labels)).toBe('{"__proto__":"y","b":"x"}');
  });

  it('prints times in UTC, with the precision of their type', () => {
    expect(scalar('gone', '2024-02-29T12:00:00.999+05:30')).toBe('2024-02-29T06:30:00Z');
    expect(scalar('gone', '2024-03-04T05:06:07Z')).toBe('2024-03-04T05:06:07Z');
    expect(scalar('micro', '2024-03-04T05:06:07.000001Z')).toBe('2024-03-04T05:06:07.000001Z');
    expect(scalar('micro', '2024-03-04T05:06:07.000001+01:00')).toBe('2024-03-04T04:06:07.000001Z');
  });

  it('prints no time as null, or not at all under omitzero', () => {
    expect(text({}, scalars)).toBe('{"seen":null}');
    expect(text({ created: null, seen: null, gone: null }, scalars)).toBe('{"seen":null}');
    const zero = '0001-01-01T00:00:00Z';
    expect(text({ created: zero, seen: zero, gone: zero }, scalars)).toBe('{"seen":null,"gone":null}');
  });

  it('prints quantities, durations, bytes and ports as Go does', () => {
    expect(scalar('amount', '0.5')).toBe('500m');
    expect(scalar('amount', 1)).toBe('1');
    expect(scalar('every', '90m')).toBe('1h30m0s');
    expect(scalar('bytes', 'YR==')).toBe('YQ==');
    expect(scalar('bytes', 'YW\nJj')).toBe('YWJj');
    expect(scalar('bytes', 'YWI=')).toBe('YWI=');
    expect(scalar('bytes', [97, null])).toBe('YQA=');
    expect(scalar('port', 'http')).toBe('http');
    expect(scalar('port', 80)).toBe(80);
    expect(scalar('raw', { b: 1, a: null })).toEqual({ b: 1, a: null });
  });

  it('keeps every int64', () => {
    expect(kept({ count: 9223372036854775807n }).count).toBe(9223372036854775807n);
    expect(kept({ count: -5 }).count).toBe(-5);
    expect(kept({ inner: { size: -0 } }).inner).toEqual({ size: 0 });
  });

  it.each<[JsonObject, string]>([
    [{ text: 5 }, 'json: cannot unmarshal number into Go struct field All.text of type string'],
    [{ inner: { size: 1.5 } }, 'json: cannot unmarshal number 1.5 into Go struct field Inner.inner.size of type int32'],
    [{ inner: [] }, 'json: cannot unmarshal array into Go struct field All.inner of type v1.Inner'],
    [{ texts: 'a' }, 'json: cannot unmarshal string into Go struct field All.texts of type []string'],
    [{ labels: { a: true } }, 'json: cannot unmarshal bool into Go struct field All.labels of type string'],
    [{ labels: [] }, 'json: cannot unmarshal array into Go struct field All.labels of type map[string]string'],
    [{ secrets: { a: 'x' } }, 'illegal base64 data at input byte 0'],
  ])('refuses %j in the decoder’s words', (value, message) => {
    expect(normalizeTyped(value, all)).toEqual({ ok: false, message });
  });

  it.each<[JsonObject, string]>([
    [{ gone: '2024-02-30T12:00:00Z' }, 'parsing time "2024-02-30T12:00:00Z": day out of range'],
    [{ amount: 'x' }, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    [{ every: 5 }, 'json: cannot unmarshal number into Go struct field Scalars.every of type string'],
    [{ port: true }, 'json: cannot unmarshal bool into Go struct field Scalars.port of type int32'],
  ])('refuses %j of a scalar with a form of its own', (value, message) => {
    expect(normalizeTyped(value, scalars)).toEqual({ ok: false, message });
  });

  it('refuses null for a duration that is not a pointer', () => {
    const view = struct('v1.D', ['every', 1, 'duration', '?']);
    expect(normalizeTyped({ every: null }, view)).toEqual({ ok: false, message: 'time: invalid duration ""' });
    expect(text({}, view)).toBe('{"every":"0s"}');
  });

  it('does not change its argument, and is idempotent', () => {
    const value: JsonObject = { labels: { b: 'x', a: null }, texts: [null], inner: { size: 3, nosuch: 1 }, count: 7n };
    const before = cloneJson(value);
    const once = kept(value);
    expect(value).toEqual(before);
    expect(kept(once)).toEqual(once);
  });

  it('makes a new zero value each time', () => {
    expect(kept({}).inner).not.toBe(kept({}).inner);
  });

  it('gives the form of the stored binary object, if asked', () => {
    const value = {
      plainTexts: [],
      plainLabels: {},
      texts: [],
      secrets: { a: null, b: '' },
      extra: { c: null, d: [] },
    };
    expect(text(value)).toBe(
      '{"plainText":"","plainTexts":[],"plainLabels":{},"secrets":{"a":null,"b":""},"extra":{"c":null,"d":[]},"inner":{"size":0}}',
    );
    expect(text(value, all, 'stored')).toBe(
      '{"plainText":"","plainTexts":null,"plainLabels":null,"secrets":{"a":"","b":""},"extra":{"c":[],"d":[]},"inner":{"size":0}}',
    );
  });

  it('keeps kind and apiVersion at the root only, but checks those inside', () => {
    const claim = struct('v1.Claim', ['kind', undefined, 'string'], ['name', 1, 'string', '?']);
    const set = struct('v1.Set', ['kind', undefined, 'string'], ['claims', 1, list(claim)], ['first', 2, claim, '?*']);
    const value = { kind: 'Set', claims: [{ kind: 'Claim', name: 'a' }], first: { kind: 'Claim' } };
    expect(kept(value, set)).toEqual(value);
    expect(kept(value, set, 'stored')).toEqual({ kind: 'Set', claims: [{ name: 'a' }], first: {} });
    expect(normalizeTyped({ first: { kind: [] } }, set, 'stored').ok).toBe(false);
  });

  it('keeps the fields of types that have no binary form at all', () => {
    const cell = struct('v1.Cell', ['text', undefined, 'string']);
    const table = struct('v1.Table', ['cells', undefined, list(cell)]);
    expect(kept({ cells: [{ text: 'a' }] }, table, 'stored')).toEqual({ cells: [{ text: 'a' }] });
  });

  it('refuses a recursive type beyond 1,000 levels instead of exhausting the stack', () => {
    const self: StructView = createStructView('v1.Self', (): FieldView[] => [
      {
        name: 'self',
        type: self,
        patchStrategies: [],
        patchMergeKey: undefined,
        required: false,
        nullable: false,
        defaultValue: undefined,
        wire: { number: 1, pointer: true, omitEmpty: true },
      },
    ]);
    const nested = (levels: number): JsonObject => {
      let value: JsonObject = {};
      for (; levels > 0; levels--) value = { self: value };
      return value;
    };
    expect(normalizeTyped(nested(1000), self).ok).toBe(true);
    expect(normalizeTyped(nested(9000), self)).toEqual({ ok: false, message: 'exceeded max depth' });
  });
});
