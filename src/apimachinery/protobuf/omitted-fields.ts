/**
 * The fields that `omitempty` and `omitzero` leave out of JSON, by what is on the wire. The rules are the decoder's.
 */

import type { ScalarType } from '../type-view.ts';
import { isGoStruct } from './decode-scalar.ts';
import type { FieldPlan } from './plan.ts';

/** How a value counts for `omitempty` and `omitzero`. */
export type Written = 'value' | 'empty' | 'null';

/** As in the decoder: `omitempty` drops neither structs nor the scalars that are structs in Go. */
export function isDropped(field: FieldPlan, written: Written): boolean {
  if (field.omitZero && written === 'null') return true;
  return field.omitEmpty && written === 'empty';
}

export function isDroppedIfAbsent({ type, pointer, omitEmpty }: FieldPlan): boolean {
  if (!omitEmpty) return false;
  return pointer || type.kind === 'list' || type.kind === 'map' || (type.kind === 'scalar' && !isGoStruct(type.scalar));
}

/** Whether the value whose varint or length is 0 is dropped. */
export function isDroppedIfZero({ type, pointer, omitEmpty }: FieldPlan): boolean {
  return omitEmpty && !pointer && type.kind === 'scalar' && !isGoStruct(type.scalar) && !isFixed(type.scalar);
}

function isFixed(scalar: ScalarType): boolean {
  return scalar === 'float' || scalar === 'double';
}
