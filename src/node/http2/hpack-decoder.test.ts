import { describe, expect, it } from 'vitest';
import { type HeaderBlock, HpackDecoder } from './hpack-decoder.ts';
import { decodeHuffman } from './huffman.ts';

const LIMITS = { maxHeaderBytes: 64 * 1024, maxHeaderCount: 200 };

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
}

/** Returns `name: value` of every field, or the problem of the block. */
function read(decoder: HpackDecoder, bytes: Buffer): string[] | string {
  const block = decoder.decode(bytes);
  if (block === undefined) return 'broken';
  if (block.tooLarge) return 'too large';
  return block.malformed ? 'malformed' : pairs(block);
}

function pairs({ fields }: HeaderBlock): string[] {
  return Array.from({ length: fields.length / 2 }, (_, i) => `${fields[2 * i]}: ${fields[2 * i + 1]}`);
}

function fresh(bytes: string | Buffer): string[] | string {
  return read(new HpackDecoder(LIMITS), typeof bytes === 'string' ? hex(bytes) : bytes);
}

/** A literal with a new name that is not added to the table. */
function literal(name: string, value: string, first = 0): Buffer {
  const sizes = [name, value].map((text) =>
    text.length < 127 ? [text.length] : [127, ((text.length - 127) & 0x7f) | 0x80, (text.length - 127) >> 7],
  );
  return Buffer.concat([
    Buffer.from([first, ...sizes[0]!]),
    Buffer.from(name, 'latin1'),
    Buffer.from(sizes[1]!),
    Buffer.from(value, 'latin1'),
  ]);
}

const FIRST = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
const SECOND = [...FIRST, 'cache-control: no-cache'];
const THIRD = [
  ':method: GET',
  ':scheme: https',
  ':path: /index.html',
  ':authority: www.example.com',
  'custom-key: custom-value',
];
const ANSWER = [
  ':status: 302',
  'cache-control: private',
  'date: Mon, 21 Oct 2013 20:13:21 GMT',
  'location: https://www.example.com',
];
const LAST_ANSWER = [
  ':status: 200',
  'cache-control: private',
  'date: Mon, 21 Oct 2013 20:13:22 GMT',
  'location: https://www.example.com',
  'content-encoding: gzip',
  'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
];

describe('the examples of RFC 7541', () => {
  it('C.2: single fields', () => {
    const decoder = new HpackDecoder(LIMITS);
    expect(read(decoder, hex('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572'))).toEqual([
      'custom-key: custom-header',
    ]);
    expect(read(decoder, hex('be'))).toEqual(['custom-key: custom-header']);
    expect(read(decoder, hex('040c 2f73 616d 706c 652f 7061 7468'))).toEqual([':path: /sample/path']);
    expect(read(decoder, hex('1008 7061 7373 776f 7264 0673 6563 7265 74'))).toEqual(['password: secret']);
    expect(read(decoder, hex('82'))).toEqual([':method: GET']);
    // Neither of the two non-indexed fields entered the table.
    expect(read(decoder, hex('bf'))).toBe('broken');
  });

  it('C.3 and C.4: requests, without and with Huffman coding', () => {
    for (const [one, two, three] of [
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ] as const) {
      const decoder = new HpackDecoder(LIMITS);
      expect(read(decoder, hex(one))).toEqual(FIRST);
      expect(read(decoder, hex(two))).toEqual(SECOND);
      expect(read(decoder, hex(three))).toEqual(THIRD);
      expect(read(decoder, hex('bebfc0'))).toEqual([
        'custom-key: custom-value',
        'cache-control: no-cache',
        ':authority: www.example.com',
      ]);
      expect(read(decoder, hex('c1'))).toBe('broken');
    }
  });

  it('C.5 and C.6: answers with a table of 256 bytes, without and with Huffman coding', () => {
    for (const [one, two, three] of [
      [
        '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '4803 3330 37c1 c0bf',
        '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      ],
      [
        '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        '4883 640e ffc1 c0bf',
        '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      ],
    ] as const) {
      const decoder = new HpackDecoder(LIMITS);
      expect(read(decoder, hex(`3fe101 ${one}`))).toEqual(ANSWER);
      expect(read(decoder, hex(two))).toEqual([':status: 307', ...ANSWER.slice(1)]);
      expect(read(decoder, hex(three))).toEqual(LAST_ANSWER);
      expect(read(decoder, hex('bebfc0'))).toEqual([LAST_ANSWER[5], LAST_ANSWER[4], LAST_ANSWER[2]]);
      expect(read(decoder, hex('c1'))).toBe('broken');
    }
  });
});

describe('an invalid block', () => {
  it('has an index outside of the tables', () => {
    for (const block of ['80', 'be', 'ff00', 'ffffffffff07', '7f0001 61', '0f2f 0161', '4f ff ff ff ff 7f 0161'])
      expect([block, fresh(block)]).toEqual([block, 'broken']);
    expect(fresh('bd')).toEqual(['www-authenticate: ']);
  });

  it('updates the table size in the wrong place, or above the allowed size', () => {
    expect(fresh('82 20')).toBe('broken');
    expect(fresh('3f e2 1f')).toBe('broken');
    expect(fresh('3f ff ff ff ff 7f')).toBe('broken');
    expect(fresh('3f e1 1f 82')).toEqual([':method: GET']);
    expect(fresh('20 3f e1 1f 82')).toEqual([':method: GET']);
  });

  it('has integers that are too long or incomplete', () => {
    expect(fresh('ff 80 80 80 80 80 00')).toBe('broken');
    expect(fresh('ff ff ff ff ff ff ff ff ff ff 01')).toBe('broken');
    expect(fresh('ff')).toBe('broken');
    expect(fresh('ff 80')).toBe('broken');
    // Long but valid: 127 + 0 as the length of the value.
    expect(fresh(literal('a', 'x'.repeat(127)))).toEqual([`a: ${'x'.repeat(127)}`]);
    expect(fresh(Buffer.concat([hex('00 01 61 7f 80 80 00'), Buffer.alloc(127, 'x')]))).toEqual([
      `a: ${'x'.repeat(127)}`,
    ]);
  });

  it('is truncated at any position', () => {
    const whole = hex('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572');
    for (let size = 1; size < whole.length; size++) expect(fresh(whole.subarray(0, size))).toBe('broken');
    const coded = hex('418cf1 e3c2 e5f2 3a6b a0ab 90f4 ff');
    for (let size = 1; size < coded.length; size++) expect(fresh(coded.subarray(0, size))).toBe('broken');
    expect(fresh('')).toEqual([]);
  });

  it('has an invalid Huffman string', () => {
    // `a` is 00011.
    expect(fresh('00 81 1f 01 78')).toEqual(['a: x']);
    expect(fresh('00 81 18 01 78')).toBe('broken');
    expect(fresh('00 82 1f ff 01 78')).toBe('broken');
    expect(fresh('00 81 ff 01 78')).toBe('broken');
    expect(fresh('00 84 ff ff ff ff 01 78')).toBe('broken');
    // The end-of-string symbol, alone and after an `a`.
    expect(fresh('00 84 ff ff ff fc 01 78')).toBe('broken');
    expect(fresh('00 85 1f ff ff ff ff 01 78')).toBe('broken');
  });
});

describe('a block with names and values that HTTP does not allow', () => {
  it('is malformed, and the table follows it nevertheless', () => {
    for (const [name, value] of [
      ['A', ''],
      ['a b', ''],
      ['', 'x'],
      ['a:', 'x'],
      ['::a', 'x'],
      ['ä', 'x'],
      ['a', 'x\ny'],
      ['a', '\r'],
      ['a', 'x\0'],
    ] as const) {
      const decoder = new HpackDecoder(LIMITS);
      expect([name, value, read(decoder, literal(name, value, 0x40))]).toEqual([name, value, 'malformed']);
      // The row is in the table, and still malformed.
      expect(read(decoder, hex('be'))).toBe('malformed');
      expect(read(decoder, hex('82'))).toEqual([':method: GET']);
    }
    expect(fresh(literal('x-!#$%&', '\t \x7f \xe4'))).toEqual(['x-!#$%&: \t \x7f \xe4']);
  });

  it('may refer to the name of a row whose value was invalid', () => {
    const decoder = new HpackDecoder(LIMITS);
    expect(read(decoder, literal('a', 'x\n', 0x40))).toBe('malformed');
    expect(read(decoder, hex('0f2f 0179'))).toEqual(['a: y']);
  });
});

describe('a block beyond the limits', () => {
  it('is too large, keeps few fields, and the table follows it to its end', () => {
    const decoder = new HpackDecoder({ maxHeaderBytes: 1_000, maxHeaderCount: 10 });
    // One row of 540 bytes, then a reference to it for every byte.
    const bomb = Buffer.concat([
      literal('x', 'y'.repeat(507), 0x40),
      Buffer.alloc(10_000, 0xbe),
      literal('a', 'b', 0x40),
    ]);
    const block = decoder.decode(bomb)!;
    expect([block.tooLarge, block.fields.length]).toEqual([true, 2]);
    expect(read(decoder, hex('be'))).toEqual(['a: b']);
    const many = decoder.decode(Buffer.alloc(11, 0x82))!;
    expect([many.tooLarge, many.fields.length]).toEqual([true, 20]);
    expect(decoder.decode(Buffer.alloc(10, 0x82))!.tooLarge).toBe(false);
  });

  it('may have a string larger than the shared buffer', () => {
    // 20,000 times `00011`, which is `a`.
    const coded = Buffer.alloc(12_500);
    for (let bit = 0; bit < 100_000; bit++) if (bit % 5 >= 3) coded[bit >> 3]! |= 0x80 >> (bit & 7);
    const size = coded.length - 127;
    const head = Buffer.from([0, 1, 0x78, 0xff, (size & 0x7f) | 0x80, size >> 7]);
    expect(fresh(Buffer.concat([head, coded]))).toEqual([`x: ${'a'.repeat(20_000)}`]);
  });

  it('evicts the oldest rows, and all of them for one that does not fit', () => {
    const decoder = new HpackDecoder(LIMITS);
    for (let i = 0; i < 200; i++) read(decoder, literal(`n${i}`, 'v'.repeat(60), 0x40));
    // Rows of 32 + 60 + 4 bytes: 42 of them fit.
    expect(read(decoder, hex('be'))).toEqual([`n199: ${'v'.repeat(60)}`]);
    expect(read(decoder, Buffer.from([0x80 | (62 + 41)]))).toEqual([`n158: ${'v'.repeat(60)}`]);
    expect(read(decoder, Buffer.from([0x80 | (62 + 42)]))).toBe('broken');
    expect(read(decoder, literal('large', 'v'.repeat(4_100), 0x40))).toEqual([`large: ${'v'.repeat(4_100)}`]);
    expect(read(decoder, hex('be'))).toBe('broken');
  });
});

describe('a short block', () => {
  const added = hex('4001610162'); // a: b

  it('that is repeated has the same result', () => {
    const decoder = new HpackDecoder(LIMITS);
    read(decoder, added);
    const first = decoder.decode(hex('88be'));
    expect(first).toEqual({ fields: [':status', '200', 'a', 'b'], tooLarge: false, malformed: false });
    expect(decoder.decode(hex('88be'))).toBe(first);
    expect(read(decoder, hex('be'))).toEqual(['a: b']);
    expect(read(decoder, hex(''))).toEqual([]);
  });

  it('is decoded again once the table has changed', () => {
    const decoder = new HpackDecoder(LIMITS);
    read(decoder, added);
    expect(read(decoder, hex('be'))).toEqual(['a: b']);
    read(decoder, hex('4001630164'));
    expect([read(decoder, hex('be')), read(decoder, hex('bf'))]).toEqual([['c: d'], ['a: b']]);
    expect(read(decoder, hex('20'))).toEqual([]);
    expect(read(decoder, hex('be'))).toBe('broken');
  });

  it('that changes the table has its effect each time', () => {
    const decoder = new HpackDecoder(LIMITS);
    // Adds `:path: ` with each block; index 62 is the newest row.
    for (let i = 0; i < 3; i++) expect(read(decoder, hex('4400'))).toEqual([':path: ']);
    expect([read(decoder, hex('c0')), read(decoder, hex('c1'))]).toEqual([[':path: '], 'broken']);
  });
});

describe('the Huffman code', () => {
  it('is that of appendix B, with short and long codes mixed', () => {
    const codes: readonly (readonly [byte: number, code: string])[] = [
      [0x30, '00000'],
      [0x61, '00011'],
      [0x26, '11111000'],
      [0x58, '11111100'],
      [0x21, '1111111000'],
      [0, '1111111111000'],
      [0x5c, '1111111111111110000'],
      [0x80, '11111111111111100110'],
      [255, '11111111111111111111101110'],
      [9, '111111111111111111101010'],
      [10, '111111111111111111111111111100'],
      [22, '111111111111111111111111111110'],
      [0x7f, '1111111111111111111111111100'],
    ];
    const into = Buffer.alloc(64);
    for (const [first, code] of codes)
      for (const [second, next] of codes) {
        const bits = code + next + code;
        const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
        const bytes = Buffer.from(padded.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
        const size = decodeHuffman(bytes, 0, bytes.length, into);
        expect([...into.subarray(0, Math.max(0, size))]).toEqual([first, second, first]);
      }
  });
});
