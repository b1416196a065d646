import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { membersOf } from './prepared.ts';

describe('membersOf', () => {
  it('takes an object apart into texts that make the same object again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        const members = membersOf(text);
        expect(members.map(([name]) => name)).toEqual(Object.keys(object));
        expect(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`).toBe(text);
      }),
    );
  });

  it('is not misled by quotes and brackets inside of texts', () => {
    expect(membersOf(String.raw`{"a\"}":"{\"","b":["]",{}],"c":"\\"}`)).toEqual([
      ['a"}', String.raw`"{\""`],
      ['b', '["]",{}]'],
      ['c', String.raw`"\\"`],
    ]);
    expect(membersOf('{}')).toEqual([]);
  });
});
