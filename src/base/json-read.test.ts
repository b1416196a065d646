import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from './bytes.ts';
import { parseJson } from './json-parse.ts';
import { type JsonReadOptions, MAX_DUPLICATES, MAX_JSON_DEPTH, readJson, readPlainJson } from './json-read.ts';
import type { JsonReadError } from './json-result.ts';
import { scanJson } from './json-scan.ts';
import { equalJson, type JsonValue } from './json-value.ts';

function value(input: Uint8Array | string, options?: JsonReadOptions): JsonValue {
  const result = readJson(input, options);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function failure(input: Uint8Array | string, options?: JsonReadOptions): JsonReadError {
  const result = readJson(input, options);
  if (result.ok) throw new Error('expected a failure');
  return result.error;
}

function duplicates(input: string): readonly string[] {
  const result = readJson(input, { duplicates: 'report' });
  if (!result.ok) throw new Error(result.error.message);
  return result.duplicates;
}

describe('numbers', () => {
  it.each<[string, JsonValue]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['4611686018427387904', 4611686018427387904n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['-9223372036854775809', -(2 ** 63)],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['1.0', 1],
    ['1e3', 1000],
    ['1e18', 1e18],
    ['0.1', 0.1],
    ['5e-324', 5e-324],
    ['1e-400', 0],
  ])('%s is read as the reference reads it', (text, expected) => {
    expect(value(text)).toBe(expected);
    expect(value(`{"a":[${text}]}`)).toEqual({ a: [expected] });
  });

  it('reads the literal -0 as the integer 0 and -0.0 as a double', () => {
    expect(Object.is(value('-0'), 0)).toBe(true);
    expect(Object.is(value('[-0.0]'), -0)).toBe(false);
    expect(Object.is((value('[-0.0]') as JsonValue[])[0], -0)).toBe(true);
  });

  it('refuses a number beyond a double, but only if the rest is well formed', () => {
    expect(failure('[1,1e400]')).toEqual({
      message: 'json: cannot unmarshal number 1e400 into Go value of type float64',
      offset: 3,
    });
    expect(failure('[1e400,}').message).toBe("invalid character '}' looking for beginning of value");
  });
});

describe('strings', () => {
  it('replaces lone surrogates and malformed UTF-8, one U+FFFD for each bad byte', () => {
    expect(value('"\\ud800x"')).toBe('\ufffdx');
    expect(value('"\\ud83d\\ude00"')).toBe('😀');
    expect(value('"\\ud83d\\u0041"')).toBe('\ufffdA');
    expect(value(new Uint8Array([0x22, 0xe2, 0x82, 0x22]))).toBe('\ufffd\ufffd');
    expect(value(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0xc3, 0xa9, 0x22]))).toBe('\ufffd\ufffd\ufffdé');
  });

  it('refuses a byte order mark', () => {
    expect(failure('\ufeff{}')).toEqual({ message: "invalid character 'ï' looking for beginning of value", offset: 0 });
  });

  it('keeps __proto__ as a field of its own', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":9007199254740993}}']) {
      const object = value(text) as object;
      expect(Object.keys(object)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
  });
});

describe('duplicate keys', () => {
  it('are reported once each, with the path of the reference', () => {
    expect(duplicates('{"a":1,"a":2,"a":3}')).toEqual(['a']);
    expect(duplicates('{"spec":{"a":[{"b":1,"b":2}]}}')).toEqual(['spec.a[0].b']);
    expect(duplicates('[{"b":1,"b":{"c":[],"c":1}}]')).toEqual(['[0].b', '[0].b.c']);
    expect(duplicates('{"a\\u0062":1,"ab":2}')).toEqual(['ab']);
    expect(duplicates('{"__proto__":1,"__proto__":2}')).toEqual(['__proto__']);
    expect(duplicates('{"a":1,"A":2}')).toEqual([]);
    expect(duplicates('{"a":":","b":{"a":"\\":"}}')).toEqual([]);
  });

  it('leave the last value, reported or not', () => {
    expect(value('{"a":1,"b":0,"a":2}')).toEqual({ a: 2, b: 0 });
    expect(value('{"a":1,"b":0,"a":2}', { duplicates: 'report' })).toEqual({ a: 2, b: 0 });
  });

  it('are reported up to a limit', () => {
    const text = `{${Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')}}`;
    expect(duplicates(text)).toHaveLength(MAX_DUPLICATES);
  });
});

describe('errors', () => {
  it.each([
    ['', 'unexpected end of JSON input', 0],
    ['{"a":', 'unexpected end of JSON input', 5],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string", 1],
    ['{"a" 1}', "invalid character '1' after object key", 5],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`, 7],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string", 7],
    ['[1 2]', "invalid character '2' after array element", 3],
    ['{} x', "invalid character 'x' after top-level value", 3],
    ['tru', "invalid character ' ' in literal true (expecting 'e')", 3],
    ['nil', "invalid character 'i' in literal null (expecting 'u')", 1],
    ['-x', "invalid character 'x' in numeric literal", 1],
    ['1.x', "invalid character 'x' after decimal point in numeric literal", 2],
    ['1e+', "invalid character ' ' in exponent of numeric literal", 3],
    ['"\t"', "invalid character '\\t' in string literal", 1],
    ['"\\q"', "invalid character 'q' in string escape code", 2],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape", 5],
    ['"é" \'', "invalid character '\\'' after top-level value", 5],
    ['01', "invalid character '1' after top-level value", 1],
  ])('%s', (text, message, offset) => {
    expect(failure(text)).toEqual({ message, offset });
    expect(failure(encodeUtf8(text))).toEqual({ message, offset });
  });

  it('name the first byte that is not UTF-8 outside a string', () => {
    expect(failure(new Uint8Array([0x20, 0xff])).message).toBe("invalid character 'ÿ' looking for beginning of value");
    expect(failure(new Uint8Array([0x20, 0x80])).message).toBe(
      "invalid character '\\u0080' looking for beginning of value",
    );
  });
});

describe('depth', () => {
  it('is bounded as in the reference, without using the call stack', () => {
    const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '}]'.repeat(depth / 2).replace('}', '1}');
    expect(readJson(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(failure(nested(MAX_JSON_DEPTH + 2))).toEqual({
      message: "invalid character '[' exceeded max depth",
      offset: 30_000,
    });
    expect(failure('['.repeat(1_000_000)).offset).toBe(MAX_JSON_DEPTH);
  });

  it('can be set lower', () => {
    expect(readJson('[[1]]', { maxDepth: 2 }).ok).toBe(true);
    expect(failure('[[[1]]]', { maxDepth: 2 }).offset).toBe(2);
  });
});

describe('the two readers', () => {
  const json = fc.json({ maxDepth: 6 });

  it('agree on every text that the scan calls plain', () => {
    fc.assert(
      fc.property(
        json,
        fc.nat(),
        fc.constantFrom('"', '{', ']', ',', ':', '\\', '1', 'e', '-', ' ', ''),
        (text, at, c) => {
          const mutated = text.slice(0, at % (text.length + 1)) + c + text.slice((at % (text.length + 1)) + 1);
          if (!scanJson(encodeUtf8(mutated)).plain) return;
          const slow = parseJson(mutated, { maxDepth: 100, maxDuplicates: 0 });
          let native: JsonValue | undefined;
          try {
            native = JSON.parse(mutated) as JsonValue;
          } catch {
            native = undefined;
          }
          expect(slow.ok).toBe(native !== undefined);
          if (slow.ok) expect(slow.value).toEqual(native);
        },
      ),
      { seed: 11, numRuns: 500 },
    );
  });

  it('agree on every text that the native search calls plain', () => {
    const number = fc.constantFrom(
      '-0',
      '1e3',
      '1E400',
      '9007199254740993',
      '1234567890123456',
      '0.1e-2',
      '-10',
      '1.50',
    );
    const text = fc.constantFrom('"\\ud800"', '"1e3"', '":-0"', '"\\u0041"', '" , 12345678901234567"', '"[1e5"');
    const item = fc.oneof(number, text, json);
    let plain = 0;
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), fc.constantFrom('', ' ', '\n\t'), (items, space) => {
        for (const whole of [`[${space}${items.join(`,${space}`)}]`, `{"a":${space}${items[0]}}`]) {
          const bytes = encodeUtf8(whole);
          const value = readPlainJson(bytes);
          if (value === undefined) continue;
          plain++;
          expect(readJson(bytes)).toEqual({ ok: true, value, duplicates: [] });
        }
      }),
      { seed: 12, numRuns: 1000 },
    );
    expect(plain).toBeGreaterThan(300);
  });

  it.each(['[-0]', '[1e3]', '[9007199254740993]', '{"a": 1E400}', '["\\ud800"]', '1e3', '12', '[', '["\ufffd"]'])(
    'leave %s to the exact one',
    (text) => {
      expect(readPlainJson(encodeUtf8(text))).toBeUndefined();
    },
  );

  it('never throw on bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const result = readJson(bytes, { duplicates: 'report' });
        if (!result.ok) expect(result.error.offset).toBeLessThanOrEqual(bytes.length);
      }),
      { seed: 12, numRuns: 500 },
    );
  });

  it('keep every int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        const read = value(`{"n":${n}}`) as { n: number | bigint };
        expect(BigInt(read.n)).toBe(n);
        expect(typeof read.n).toBe(Number.isSafeInteger(Number(n)) ? 'number' : 'bigint');
        expect(equalJson(read, { n })).toBe(true);
      }),
      { seed: 13, numRuns: 300 },
    );
  });
});
