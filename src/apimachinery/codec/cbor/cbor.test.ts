import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../base/bytes.ts';
import { readJson } from '../../../base/json-read.ts';
import type { JsonValue } from '../../../base/json-value.ts';
import { writeJsonBytes } from '../../../base/json-write.ts';
import { CBOR_PREFIX, encodeCbor } from './cbor.ts';
import { decodeCbor } from './cbor-decode.ts';

function hex(bytes: Uint8Array): string {
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
}

function bytes(text: string): Uint8Array {
  return new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n)),
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Number.isInteger(n) ? (n % 2 ** 53) + 0 : n)),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map((n) => (Number.isInteger(n) ? (n % 2 ** 53) + 0 : n)),
    fc.constantFrom(null, true, false, 0.5, 2 ** -24),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie('tree'), { maxKeys: 5 }).map((o) => ({ ...o })),
  ),
}));

describe('encodeCbor', () => {
  it('writes the bytes that the reference writes', () => {
    expect(hex(encodeCbor({ bb: [1, -1, 1.5, 100000.5], a: 'x', c: null }))).toBe(
      'd9d9f7' + 'a3' + '4161' + '4178' + '4163' + 'f6' + '426262' + '84' + '01' + '20' + 'f93e00' + 'fa47c35040',
    );
    expect(hex(encodeCbor(9223372036854775807n, { selfDescribed: false }))).toBe('1b7fffffffffffffff');
  });

  it('gives equal bytes for equal values, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.integer()), { maxLength: 8 }), (pairs) => {
        const object = Object.fromEntries(pairs);
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(hex(encodeCbor(reversed))).toBe(hex(encodeCbor(object)));
      }),
      { seed: 51, numRuns: 200 },
    );
  });
});

describe('JSON and CBOR', () => {
  it('carry the same values', () => {
    fc.assert(
      fc.property(tree, fc.boolean(), (value, selfDescribed) => {
        const decoded = decodeCbor(encodeCbor(value, { selfDescribed }));
        expect(decoded).toEqual({ ok: true, value });
        if (!decoded.ok) return;
        expect(readJson(writeJsonBytes(decoded.value))).toEqual({ ok: true, value, duplicates: [] });
      }),
      { seed: 52, numRuns: 400 },
    );
  });
});

describe('decodeCbor', () => {
  it.each<[string, JsonValue]>([
    ['5f42010243030405ff', '\u0001\u0002\u0003\u0004\u0005'],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
    ['d64401020304', 'AQIDBA=='],
    ['d54401fffe04', 'Af_-BA'],
    ['d74401020304', '01020304'],
    ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
    ['c1fb41d452d9ec200000', '2013-03-21T20:04:00.5Z'],
    ['d9d9f7d9d9f701', 1],
    ['1b0020000000000001', 9007199254740993n],
    ['42c328', '\ufffd('],
    ['a1495f5f70726f746f5f5f01', JSON.parse('{"__proto__":1}') as JsonValue],
  ])('reads %s', (input, value) => {
    expect(decodeCbor(bytes(input))).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'EOF', 0],
    ['81', 'unexpected EOF', 1],
    ['9bffffffffffffffff', 'unexpected EOF', 9],
    ['0101', 'cbor: 1 bytes of extraneous data starting at index 1', 1],
    ['a2616101616102', 'cbor: found duplicate map key "a" at map element index 1', 6],
    ['a10102', 'cbor: cannot unmarshal positive integer into Go value of type string', 2],
    [
      '1bffffffffffffffff',
      "cbor: cannot unmarshal positive integer into Go value of type interface {} (18446744073709551615 overflows Go's int64)",
      0,
    ],
    ['f7', 'cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized', 0],
    ['f97e00', 'cbor: floating-point NaN or infinity', 0],
    ['c249010000000000000000', 'cbor: data item of cbor type tag is not accepted by protocol: bignum', 11],
    ['62c328', 'cbor: invalid UTF-8 string', 0],
    ['1c', 'cbor: invalid additional information 28 for type positive integer', 0],
    ['ff', 'cbor: unexpected "break" code', 0],
    ['bf6161ff', 'cbor: unexpected "break" code', 3],
  ])('refuses %s', (input, message, offset) => {
    expect(decodeCbor(bytes(input))).toEqual({ ok: false, error: { message, offset } });
  });

  it('bounds depth without using the call stack', () => {
    const nested = (depth: number): Uint8Array => new Uint8Array([...Array<number>(depth).fill(0x81), 0x01]);
    expect(decodeCbor(nested(10_000)).ok).toBe(true);
    expect(decodeCbor(nested(10_001))).toMatchObject({ ok: false });
    expect(decodeCbor(concatBytes([CBOR_PREFIX, nested(3)]), { maxDepth: 3 })).toMatchObject({ ok: false });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (input) => {
        const result = decodeCbor(input);
        if (!result.ok) expect(result.error.offset).toBeLessThanOrEqual(input.byteLength);
      }),
      { seed: 53, numRuns: 500 },
    );
  });
});
