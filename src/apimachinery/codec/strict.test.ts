import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { FieldView, ListView, MapView, ScalarView, StructView, TypeView } from '../type-view.ts';
import { decodeStrictJson, decodeStrictYaml, formatStrictError, strictWarnings } from './strict.ts';

const text: ScalarView = { kind: 'scalar', scalar: 'string' };
const map = (values: TypeView): MapView => ({ kind: 'map', atomic: false, values });
const list = (items: TypeView): ListView => ({ kind: 'list', items, listType: 'atomic', mapKeys: [] });

function struct(types: Record<string, TypeView>, preserveUnknown = false): StructView {
  const fields = new Map<string, FieldView>();
  for (const [name, type] of Object.entries(types))
    fields.set(name, {
      name,
      type,
      patchStrategies: [],
      patchMergeKey: undefined,
      required: false,
      nullable: false,
      defaultValue: undefined,
      wire: undefined,
    });
  return {
    kind: 'struct',
    name: '',
    atomic: false,
    preserveUnknown,
    field: (name) => fields.get(name),
    fields: () => fields.values(),
  };
}

const view = struct({
  kind: text,
  metadata: struct({ name: text, labels: map(text) }),
  spec: struct({
    items: list(struct({ name: text })),
    raw: { kind: 'any', raw: 'raw-extension' },
    open: struct({ name: text }, true),
  }),
});

function problems(input: string): readonly string[] {
  const result = decodeStrictJson(input, { fieldValidation: 'Strict', view });
  if (!result.ok) throw new Error(result.error.message);
  return result.problems;
}

describe('strict JSON', () => {
  it('names unknown and duplicate fields in the order of the text', () => {
    const found = problems(
      '{"foo":1,"metadata":{"name":"a","Name":"b","name":"c"},"spec":{"items":[{},{"x":1,"name":"y"}],"items":[]},"foo":2}',
    );
    expect(found).toEqual([
      'unknown field "foo"',
      'unknown field "metadata.Name"',
      'duplicate field "metadata.name"',
      'unknown field "spec.items[1].x"',
      'duplicate field "spec.items"',
    ]);
    expect(formatStrictError(found.slice(0, 2))).toBe(
      'strict decoding error: unknown field "foo", unknown field "metadata.Name"',
    );
  });

  it('does not look into unknown fields and raw values', () => {
    expect(problems('{"foo":{"a":1,"a":2},"spec":{"raw":{"a":1,"a":2},"open":{"z":1}}}')).toEqual([
      'unknown field "foo"',
    ]);
    expect(problems('{"metadata":{"labels":{"a":"1","a":"2"}}}')).toEqual(['duplicate field "metadata.labels.a"']);
  });

  it('reports 100 problems at most', () => {
    expect(problems(`{${Array.from({ length: 200 }, (_, i) => `"u${i}":1`).join(',')}}`)).toHaveLength(100);
  });

  it('gives the same value in every mode, without unknown fields', () => {
    for (const fieldValidation of ['Ignore', 'Warn', 'Strict'] as const) {
      const result = decodeStrictJson(
        encodeUtf8('{"kind":"K","foo":1,"spec":{"items":[{"x":1,"name":"y"}],"open":{"z":1}}}'),
        {
          fieldValidation,
          view,
        },
      );
      expect(result).toEqual({
        ok: true,
        value: { kind: 'K', spec: { items: [{ name: 'y' }], open: { z: 1 } } },
        problems: fieldValidation === 'Ignore' ? [] : ['unknown field "foo"', 'unknown field "spec.items[0].x"'],
      });
    }
  });

  it('finds duplicates everywhere and drops nothing without a type', () => {
    expect(decodeStrictJson('{"a":{"b":1,"b":[{"c":1,"c":2}]}}', { fieldValidation: 'Warn' })).toEqual({
      ok: true,
      value: { a: { b: [{ c: 2 }] } },
      problems: ['duplicate field "a.b"', 'duplicate field "a.b[0].c"'],
    });
  });

  it('passes syntax errors on', () => {
    expect(decodeStrictJson('{', { fieldValidation: 'Strict', view })).toEqual({
      ok: false,
      error: { message: 'unexpected end of JSON input', offset: 1 },
    });
  });
});

describe('strict YAML', () => {
  it('has one problem for all duplicates, then unknown fields by sorted keys', () => {
    const result = decodeStrictYaml('zoo: 1\nkind: a\nkind: b\nfoo: 1\n', { fieldValidation: 'Warn', view });
    expect(result).toEqual({
      ok: true,
      value: { kind: 'b' },
      problems: [
        'yaml: unmarshal errors:\n  line 3: key "kind" already set in map',
        'unknown field "foo"',
        'unknown field "zoo"',
      ],
    });
    if (result.ok)
      expect(strictWarnings(result.problems)).toEqual([
        'line 3: key "kind" already set in map',
        'unknown field "foo"',
        'unknown field "zoo"',
      ]);
  });

  it('is silent in the Ignore mode', () => {
    expect(decodeStrictYaml('kind: a\nkind: b\nfoo: 1\n', { fieldValidation: 'Ignore', view })).toEqual({
      ok: true,
      value: { kind: 'b' },
      problems: [],
    });
  });
});
