/**
 * The relations between types: equality and generality. Types are compared by structure, objects by name. `dyn` and
 * type parameters are more general than all other types.
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

/** True if null is assignable to the type. */
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

/** The type parameters of a type. */
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

/** True if two types differ at most in their parameters: two lists, two maps, two objects of one name. */
export function sameConstructor(left: CelType, right: CelType): boolean {
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
  if (!sameConstructor(left, right)) return false;
  const others = parts(right);
  return parts(left).every((part, index) => {
    const other = others[index];
    return other !== undefined && equalTypes(part, other);
  });
}

/** True if the first type is as general as the second or more general. */
function isAsGeneral(left: CelType, right: CelType): boolean {
  if (isDyn(left) || left.kind === 'param') return true;
  if (isDyn(right) || right.kind === 'param') return false;
  if (!sameConstructor(left, right)) return false;
  if (left.kind === 'type') return true;
  const others = parts(right);
  return parts(left).every((part, index) => {
    const other = others[index];
    return other !== undefined && isAsGeneral(part, other);
  });
}

/** The more general of two types that are assignable to each other. */
export function mostGeneral(left: CelType, right: CelType): CelType {
  return isAsGeneral(left, right) ? left : right;
}
