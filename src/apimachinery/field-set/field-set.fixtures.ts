/**
 * Generators of path elements and field sets for property tests. There are few names and values, so that sets overlap.
 */
import fc from 'fast-check';
import type { JsonValue } from '../../base/json-value.ts';
import { type FieldSet, fieldSetOf } from './field-set.ts';
import { IndexElement, keyElement, type Path, type PathElement, ValueElement } from './path-element.ts';

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>('a', 'b', '', '<&>', '\u2028', '\ud83d\ude00', '\uffee', 1, 2, 1.5, -3, true, false),
  fc.constantFrom<JsonValue>(null, [1, 'x'], { a: 1 }, 9007199254740993n),
);

export const element: fc.Arbitrary<PathElement> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c', '.', 'f:x', '__proto__', '\ud83d\ude00', '\uffee') },
  { weight: 2, arbitrary: fc.record({ name: scalar }).map(keyElement) },
  { weight: 1, arbitrary: fc.record({ port: scalar, protocol: scalar }).map(keyElement) },
  { weight: 1, arbitrary: scalar.map((value) => new ValueElement(value)) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 12 }).map((index) => new IndexElement(index)) },
);

export const path: fc.Arbitrary<Path> = fc.array(element, { minLength: 1, maxLength: 4 });

/** Sets of one level that are much wider than others. */
export const wideSet: fc.Arbitrary<FieldSet> = fc
  .subarray(Array.from({ length: 300 }, (_, i) => [`w${i}`, ...(i % 3 === 0 ? ['a'] : [])]))
  .map((paths) => fieldSetOf(...paths));

export const fieldSet: fc.Arbitrary<FieldSet> = fc.array(path, { maxLength: 12 }).map((paths) => fieldSetOf(...paths));
