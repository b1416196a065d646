import { describe, expect, it } from 'vitest';
import { readCsv } from './csv.ts';
import { parseTokenFile } from './token-file.ts';

describe('a token file', () => {
  it('has users with UIDs and groups', () => {
    const file = parseTokenFile('t1,tom,1,"a,b"\r\n\nt2,tim,2\n,nobody,3\nt1,tim,2,c', 'tokens.csv');
    expect(file.authenticate('t1', [])).toEqual({
      outcome: 'ok',
      user: { name: 'tim', uid: '2', groups: ['c'], extra: {} },
    });
    expect(file.authenticate('t2', [])).toMatchObject({ user: { groups: [] } });
    expect(file.authenticate('', [])).toEqual({ outcome: 'none' });
    expect(file.count).toBe(2);
    expect(file.warnings).toEqual([
      "empty token has been found in token file 'tokens.csv', record number '3'",
      "duplicate token has been found in token file 'tokens.csv', record number '4'",
    ]);
  });

  it('is refused as a whole if one line is malformed, with a message without tokens', () => {
    expect(() => parseTokenFile('t1,tom,1\nsecret,tim', 'x')).toThrow(
      "token file 'x' must have at least 3 columns (token, user name, user uid), found 2",
    );
    expect(() => parseTokenFile('secret,"tim,1', 'x')).toThrow(/^token file 'x': parse error on line 1/);
  });
});

// The messages are those of encoding/csv of Go 1.26.
describe('CSV', () => {
  it.each<[string, readonly (readonly string[])[]]>([
    ['', []],
    ['\n\n', []],
    ['a,b\nc', [['a', 'b'], ['c']]],
    [
      'a,\n,',
      [
        ['a', ''],
        ['', ''],
      ],
    ],
    ['"a ""b"" c","x\ny",""', [['a "b" c', 'x\ny', '']]],
    ['"a"\n"b"\n', [['a'], ['b']]],
  ])('%j', (text, records) => {
    expect(readCsv(text)).toEqual({ ok: true, records });
  });

  it.each([
    ['a"b', 'parse error on line 1, column 2: bare " in non-quoted-field'],
    ['x\n"a"b', 'parse error on line 2, column 3: extraneous or missing " in quoted-field'],
    ['"a\nb', 'record on line 1; parse error on line 2, column 2: extraneous or missing " in quoted-field'],
  ])('%j is refused', (text, message) => {
    expect(readCsv(text)).toEqual({ ok: false, message });
  });
});
