import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldLookup } from './field-lookup.ts';

describe('FieldLookup', () => {
  it('answers as the map does, in whatever order names come', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'toString', '');
    fc.assert(
      fc.property(fc.array(fc.array(names, { maxLength: 80 }), { maxLength: 6 }), (objects) => {
        const fields = new Map([
          ['a', 1],
          ['b', 2],
          ['c', 3],
        ]);
        const lookup = new FieldLookup(fields);
        for (const object of objects)
          object.forEach((name, place) => {
            expect(lookup.get(place, name)).toBe(fields.get(name));
          });
      }),
    );
  });
});
