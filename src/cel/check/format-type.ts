/** The formatting of types in messages, like cel-go: `list(int)`, `map(string, dyn)`, `optional_type(int)`. */
import type { CelType } from '../types.ts';

export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'basic':
      return type.name === 'null_type' ? 'null' : type.name === 'error' ? '!error!' : type.name;
    case 'list':
      return `list(${formatType(type.element)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'type':
      return `type(${formatType(type.of)})`;
    case 'opaque':
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
    case 'object':
    case 'param':
      return type.name;
  }
}

/** Formats the argument types of a call: `(int, string)`, or `list(int).(string)` for a method. */
export function formatSignature(args: readonly CelType[], member: boolean): string {
  const [target, ...rest] = args;
  if (!member || target === undefined) return `(${args.map(formatType).join(', ')})`;
  return `${formatType(target)}.(${rest.map(formatType).join(', ')})`;
}

/** The declared name of a type, without its parameters. */
export function declaredName(type: CelType): string {
  switch (type.kind) {
    case 'basic':
      if (type.name === 'timestamp') return 'google.protobuf.Timestamp';
      return type.name === 'duration' ? 'google.protobuf.Duration' : type.name;
    case 'list':
    case 'map':
    case 'type':
      return type.kind;
    default:
      return type.name;
  }
}

/** A type with its parts by their declared names: `list(google.protobuf.Timestamp)`. */
export function formatDeclaredType(type: CelType): string {
  const name = declaredName(type);
  switch (type.kind) {
    case 'list':
      return `${name}(${formatDeclaredType(type.element)})`;
    case 'map':
      return `${name}(${formatDeclaredType(type.key)}, ${formatDeclaredType(type.value)})`;
    case 'type':
      return `${name}(${formatDeclaredType(type.of)})`;
    case 'opaque':
      return type.params.length === 0 ? name : `${name}(${type.params.map(formatDeclaredType).join(', ')})`;
    default:
      return name;
  }
}
