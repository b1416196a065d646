/**
 * How types relate. Invariant: types are compared by what they are, objects by their names; `dyn` is less specific than anything, and so is a parameter.
 */
import { type CelType, DYN } from '../types.ts';

export function isDyn(type: CelType): boolean {
  return type === DYN || (type.kind === 'basic' && type.name === 'dyn');
}

export function isError(type: CelType): boolean {
  return type.kind === 'basic' && type.name === 'error';
}

export function isNull(type: CelType): boolean {
  return type.kind === 'basic' && type.name === 'null_type';
}

/** Whether null may stand for a value of the type. */
export function isNullable(type: CelType): boolean {
  switch (type.kind) {
    case 'opaque':
    case 'object':
      return true;
    case 'basic':
      return type.name === 'timestamp' || type.name === 'duration' || type.name === 'null_type' || type.name === 'dyn';
    default:
      return false;
  }
}

const NONE: readonly CelType[] = [];

/** The types that a type is made of. */
export function parts(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.element];
    case 'map':
      return [type.key, type.value];
    case 'type':
      return [type.of];
    case 'opaque':
      return type.params;
    default:
      return NONE;
  }
}

/** Whether two types are of one make, whatever their parts: lists, maps, objects of one name. */
export function sameMake(left: CelType, right: CelType): boolean {
  switch (left.kind) {
    case 'basic':
    case 'object':
    case 'param':
      return left.kind === right.kind && left.name === right.name;
    case 'opaque':
      return right.kind === 'opaque' && left.name === right.name && left.params.length === right.params.length;
    default:
      return left.kind === right.kind;
  }
}

export function equalTypes(left: CelType, right: CelType): boolean {
  if (left === right) return true;
  if (!sameMake(left, right)) return false;
  const others = parts(right);
  return parts(left).every((part, index) => {
    const other = others[index];
    return other !== undefined && equalTypes(part, other);
  });
}

/** Whether the first says as much as the second or less. */
function isAsGeneral(left: CelType, right: CelType): boolean {
  if (isDyn(left) || left.kind === 'param') return true;
  if (isDyn(right) || right.kind === 'param') return false;
  if (!sameMake(left, right)) return false;
  if (left.kind === 'type') return true;
  const others = parts(right);
  return parts(left).every((part, index) => {
    const other = others[index];
    return other !== undefined && isAsGeneral(part, other);
  });
}

/** The less specific of two types that can be made one. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  return isAsGeneral(left, right) ? left : right;
}
