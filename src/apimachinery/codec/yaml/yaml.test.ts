import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonValue } from '../../../base/json-value.ts';
import { formatYamlDuplicates, readYaml, type YamlReadError } from './yaml.ts';
import { splitYamlDocuments } from './yaml-documents.ts';
import { compareYamlKeys } from './yaml-key-order.ts';
import { MAX_YAML_DEPTH } from './yaml-scanner.ts';
import { writeYaml } from './yaml-write.ts';

function value(text: string): JsonValue {
  const result = readYaml(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function failure(input: string | Uint8Array): YamlReadError {
  const result = readYaml(input);
  if (result.ok) throw new Error('expected a failure');
  return result.error;
}

function strictError(text: string): string | undefined {
  const result = readYaml(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.duplicates.length === 0 ? undefined : formatYamlDuplicates(result.duplicates);
}

describe('scalars', () => {
  it.each<[string, JsonValue]>([
    ['yes', true],
    ['n', false],
    ['Off', false],
    ['oN', 'oN'],
    ['~', null],
    ['', null],
    ['nUll', 'nUll'],
    ['0777', 511],
    ['0o17', 15],
    ['08', 8],
    ['0x1F', 31],
    ['0b101', 5],
    ['0b-1', -1],
    ['-0b11', -3],
    ['1_000', 1000],
    ['1:30:45', '1:30:45'],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1e400', '1e400'],
    ['1e18', 1000000000000000000n],
    ['9223372036854775807', 9223372036854775807n],
    ['18446744073709551615', 2 ** 64],
    ['2001-01-01', '2001-01-01'],
    ['"1"', '1'],
    ["'yes'", 'yes'],
    ['!!str 123', '123'],
    ['!!int "5"', 5],
    ['!!float 3', 3],
    ['!!binary aGVsbG8=', 'hello'],
    ['!custom x', 'x'],
  ])('%s', (text, expected) => {
    expect(value(`a: ${text}\n`)).toEqual({ a: expected });
    expect(value(`- ${text}\n`)).toEqual([expected]);
  });

  it('refuses what JSON cannot hold and tags that do not fit', () => {
    expect(failure('a: .inf').message).toBe('json: unsupported value: +Inf');
    expect(failure('a: .nan').message).toBe('json: unsupported value: NaN');
    expect(failure('a: !!bool foo').message).toBe('yaml: cannot decode !!str `foo` as a !!bool');
    expect(failure('a: !!binary "!"').message).toBe('yaml: !!binary value contains invalid base64 data');
  });
});

describe('maps', () => {
  it('turn keys of other types into strings', () => {
    expect(value('yes: 1\n1: 2\n1.5: 3\n0x10: 4\n1.23456789: 5\n')).toEqual({
      true: 1,
      '1': 2,
      '1.5': 3,
      '16': 4,
      '1.2345679': 5,
    });
    expect(failure('~: 1').message).toBe('unsupported map key of type: %!s(<nil>), key: <nil>, value: 1');
    expect(failure('~: {~: 1, b: [18446744073709551615, 1e20, ~], 5: yes}').message).toBe(
      'unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{interface {}(nil):1, "b":[]interface {}{0xffffffffffffffff, 1e+20, interface {}(nil)}, 5:true}',
    );
    expect(failure('a: {{ x }}').message).toBe(
      'yaml: invalid map key: map[interface {}]interface {}{"x":interface {}(nil)}',
    );
  });

  it('refuse a key that JSON cannot have only if it survives', () => {
    expect(value('a:\n  ~: 1\n  18446744073709551615: 2\na: 3\n')).toEqual({ a: 3 });
    expect(failure('a:\n  - ~: 1\n').message).toBe('unsupported map key of type: %!s(<nil>), key: <nil>, value: 1');
    expect(strictError('a:\n  ~: 1\n  ~: 2\na: 3\n')).toBe(
      'yaml: unmarshal errors:\n  line 3: key <nil> already set in map\n  line 4: key "a" already set in map',
    );
  });

  it('keep __proto__ as a field of its own', () => {
    expect(Object.keys(value('__proto__: {a: 1}\n') as object)).toEqual(['__proto__']);
  });

  it('merge where the merge key stands', () => {
    expect(value('a: &a {b: 1}\nc:\n  <<: *a\n  b: 2\n')).toEqual({ a: { b: 1 }, c: { b: 2 } });
    expect(value('a: &a {b: 1}\nc:\n  b: 2\n  <<: *a\n')).toEqual({ a: { b: 1 }, c: { b: 1 } });
    expect(value('a: &a {b: 1}\nd: &d {b: 5, e: 6}\nc:\n  <<: [*a, *d]\n')).toMatchObject({ c: { b: 1, e: 6 } });
    expect(failure('<<: 5').message).toBe('yaml: map merge requires map or sequence of maps as the value');
  });

  it('report keys set twice, with the line of the later value', () => {
    expect(strictError('a: 1\nb: 2\na: 3\n')).toBe('yaml: unmarshal errors:\n  line 3: key "a" already set in map');
    expect(strictError('x:\n  1: a\n  1: b\nz: |\n  t\nz: |\n  u\n')).toBe(
      'yaml: unmarshal errors:\n  line 3: key 1 already set in map\n  line 6: key "z" already set in map',
    );
    expect(strictError('{"a":1,"a":2}')).toBe('yaml: unmarshal errors:\n  line 1: key "a" already set in map');
    expect(strictError('1: a\n"1": b\n')).toBeUndefined();
    expect(value('a: 1\na: 3\n')).toEqual({ a: 3 });
  });
});

describe('layout', () => {
  it.each<[string, JsonValue]>([
    ['a: [\n1,\n2\n]\nb: {\n}\n', { a: [1, 2], b: {} }],
    ['a:\n>\n x\nb: "y\nz"\n', { a: 'x\n', b: 'y z' }],
    ['a:\n- 1\n- b: 2\n  c: 3\n', { a: [1, { b: 2, c: 3 }] }],
    ['? a\n: b\n? c\n', { a: 'b', c: null }],
    ['[a: 1, ? b : 2, {c, d: }]', [{ a: 1 }, { b: 2 }, { c: null, d: null }]],
    ['a: |\n  x\n   y\n\nb: >-\n  x\n  y\n\n  z\nc: |+\n  x\n\n', { a: 'x\n y\n', b: 'x y\nz', c: 'x\n\n' }],
    ['a: |2\n    x\n', { a: '  x\n' }],
    ['--- |\nx\n', ''],
    ['"a\\x41\\u00e9\\\n   b\\tc"', 'aA\u00e9b\tc'],
    ["'it''s\n\n  so'", "it's\nso"],
    ['%TAG !k! tag:yaml.org,2002:\n--- !k!str 5\n...\n]', '5'],
    ['!<tag:yaml.org,2002:int> "5"', 5],
    ['!!%73tr 5', '5'],
    ['\ufeffa: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['a # no\n', 'a'],
    ['a#b: c:d\n', { 'a#b': 'c:d' }],
    ['  - a\nb: c\n', ['a']],
    ['&x "d" +.5\n', 'd'],
  ])('%j', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });
});

describe('bounds and errors', () => {
  it('bounds depth, aliases and size', () => {
    expect(failure('['.repeat(100_000)).message).toBe(`yaml: exceeded max depth of ${MAX_YAML_DEPTH}`);
    expect(readYaml('['.repeat(900) + ']'.repeat(900)).ok).toBe(true);
    let bomb = 'a0: &a0 [x,x,x,x,x,x,x,x,x]\n';
    for (let i = 1; i < 9; i++)
      bomb += `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(',')}]\n`;
    expect(failure(bomb).message).toBe('yaml: document contains excessive aliasing');
    const long = `a: &a ${'x'.repeat(1_000_000)}\nb: [*a, *a, *a, *a]\n`;
    expect(failure(long).message).toBe('yaml: document contains excessive aliasing');
    expect(failure(`~: ${'x'.repeat(1_000_000)}`).message.length).toBeLessThan(70_000);
    expect(failure('a: &a [*a]').message).toBe("yaml: anchor 'a' value contains itself");
    expect(readYaml('aaaa', { maxBytes: 3 })).toMatchObject({
      ok: false,
      error: { message: 'yaml: document is larger than 3 bytes', line: 0, column: 0 },
    });
  });

  it.each([
    ['a: b: c', 'yaml: mapping values are not allowed in this context', 1],
    ['x: 1\na: b: c', 'yaml: line 2: mapping values are not allowed in this context', 2],
    ['x: 1\na: %b', 'yaml: line 2: found character that cannot start any token', 2],
    ['x: 1\na: *b', "yaml: unknown anchor 'b' referenced", 2],
    ['x: 1\n\n- a', 'yaml: line 2: did not find expected key', 3],
    ['a:\n"x"\nb: c', "yaml: line 3: could not find expected ':'", 3],
    ['-\ta', 'yaml: found character that cannot start any token', 1],
    ['a: |\n\tb', 'yaml: line 2: found a tab character where an indentation space is expected', 2],
    ['a: "\\/"', 'yaml: found unknown escape character', 1],
    ['a: "x', 'yaml: found unexpected end of stream', 1],
    ['a: [!!str]', "yaml: line 1: did not find expected ',' or ']'", 2],
    ['a: !x!y z', 'yaml: found undefined tag handle', 1],
    ['%YAML 1.2\n---\na: 1', 'yaml: found incompatible YAML document', 1],
    ['a: b # \x01', 'yaml: control characters are not allowed', 0],
  ])('%j has the words and the line of the reference', (text, message, line) => {
    expect(failure(text)).toMatchObject({ message, line });
  });

  it.each([
    ['x: 1\na: b: c', 2, 5, 'mapping values are not allowed in this context'],
    ['x: 1\n  a: [1, %b]', 2, 4, 'mapping values are not allowed in this context'],
    ['x:\n  - [1\n  b: 1', 3, 4, "did not find expected ',' or ']'"],
    ['x:\n  y: &a 1\n  z: *b', 3, 6, "unknown anchor 'b' referenced"],
    ['a: "\\/"', 1, 5, 'found unknown escape character'],
    ['x:\n  y: !!int z', 2, 6, 'cannot decode !!str `z` as a !!int'],
  ])('%j has a column and a reason without a line', (text, line, column, reason) => {
    expect(failure(text)).toMatchObject({ line, column, reason });
  });

  it('refuses malformed UTF-8', () => {
    expect(failure(new Uint8Array([0x61, 0x3a, 0x20, 0xff])).message).toBe('yaml: invalid leading UTF-8 octet');
  });

  it('never throws', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '|',
      '>',
      '&a',
      '*a',
      '!',
      '#',
      '?',
      '\t',
      '---',
      '<<',
      '1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const result = readYaml(encodeUtf8(pieces.join('')));
        if (!result.ok) expect(result.error.message).not.toBe('');
      }),
      { seed: 31, numRuns: 500 },
    );
  });
});

describe('streams', () => {
  it('give the first document', () => {
    expect(value('# x\n---\na: 1\n---\nb: [\n')).toEqual({ a: 1 });
    expect(value('')).toBeNull();
    expect(value('---\n')).toBeNull();
  });

  it('are split at separators', () => {
    expect(splitYamlDocuments('a: 1\r\n--- # c\nb: 2\n---\n---\nc: 3')).toEqual({
      ok: true,
      documents: ['a: 1\n', 'b: 2\n', '---\nc: 3\n'],
    });
    expect(splitYamlDocuments('a: 1\n--- x\n')).toEqual({
      ok: false,
      error: { message: 'invalid Yaml document separator: x', line: 2 },
    });
  });
});

describe('writeYaml', () => {
  it('prints as the reference prints', () => {
    expect(
      writeYaml({
        b: [1, { d: 'x', c: [] }, [true, null]],
        a10: 'yes',
        a2: '1:30',
        m: 'one\ntwo\n',
        q: "it's: x",
        e: '',
        f: 1.5e7 + 0.5,
      }),
    ).toBe(
      'a2: "1:30"\na10: "yes"\nb:\n- 1\n- c: []\n  d: x\n- - true\n  - null\ne: ""\nf: 1.50000005e+07\nm: |\n  one\n  two\nq: \'it\'\'s: x\'\n',
    );
    expect(writeYaml({ t: '2024-01-02T03:04:05Z', k: 9223372036854775807n, u: '😀' })).toBe(
      'k: 9223372036854775807\nt: "2024-01-02T03:04:05Z"\nu: "\\U0001F600"\n',
    );
  });

  it('folds long text after column 80', () => {
    expect(writeYaml({ a: 'word '.repeat(20).trim() })).toBe(
      `a: ${'word '.repeat(16).trim()}\n  ${'word '.repeat(4).trim()}\n`,
    );
  });

  it('is the inverse of readYaml', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('a', ' ', '\n', ':', '#', '-', "'", '"', '\t', '1', '\u2028', '<<', 'word word'), {
          maxLength: 40,
        })
        .map((p) => p.join('')),
    );
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.constantFrom<JsonValue>(null, true, false, 0.5, 1e-7, 123456789.5, 2n ** 60n),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 4 }).map((o) => ({ ...o })),
      ),
    }));
    fc.assert(
      fc.property(tree, (v) => {
        expect(readYaml(writeYaml(v))).toEqual({ ok: true, value: v, duplicates: [] });
      }),
      { seed: 32, numRuns: 400 },
    );
  });

  it('sorts keys with numbers by value and letters last', () => {
    expect(['b', 'a10', 'a2', '-x', 'a', 'A', '_'].sort(compareYamlKeys)).toEqual([
      '-x',
      '_',
      'A',
      'a',
      'a2',
      'a10',
      'b',
    ]);
  });
});
