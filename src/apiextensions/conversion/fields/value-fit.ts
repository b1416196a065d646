/**
 * The comparison of the values that two schema nodes allow. Invariant: a difference is reported if no value, or not
 * every listed value, of the source fits the target. A target that is only narrower (a lower maximum, a pattern) is no
 * difference, because most values fit; the server validates the others when an object is stored.
 */
import { equalJson } from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { isAny, isMap } from './schema-fields.ts';

/** A difference, as the ends of a sentence about the field in each version. */
export interface Difference {
  readonly source: string;
  readonly target: string;
}

/** Compares two nodes without the fields and items inside them. Returns undefined if values fit. */
export function differenceOf(source: StructuralSchema, target: StructuralSchema): Difference | undefined {
  if (isAny(target)) return undefined;
  const [kind, wanted] = [kindOf(source), kindOf(target)];
  if (!fits(kind, wanted, source, target)) return { source: `is ${titleOf(source)}`, target: `is ${titleOf(target)}` };
  return enumDifference(source, target) ?? formatDifference(source, target) ?? rangeDifference(source, target);
}

type Kind = StructuralSchema['type'] | 'int-or-string' | 'any';

function kindOf(schema: StructuralSchema): Kind {
  if (schema.intOrString) return 'int-or-string';
  return isAny(schema) ? 'any' : schema.type;
}

function fits(kind: Kind, wanted: Kind, source: StructuralSchema, target: StructuralSchema): boolean {
  if (kind === 'integer' && wanted === 'number') return true;
  if ((kind === 'integer' || kind === 'string') && wanted === 'int-or-string') return true;
  if (kind !== wanted) return false;
  // Only the fields that the target lists would be left of a map.
  return kind !== 'object' || !isMap(source) || isMap(target) || target.preserveUnknownFields;
}

/** Names the type of a node in a message. */
export function titleOf(schema: StructuralSchema): string {
  switch (kindOf(schema)) {
    case 'int-or-string':
      return 'an integer or a string';
    case 'array':
      return 'a list';
    case 'object':
      return isMap(schema) ? 'a map' : 'an object';
    case 'integer':
      return 'an integer';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'string':
      return 'a string';
    default:
      return 'of any type';
  }
}

function enumDifference(
  { enum: values }: StructuralSchema,
  { enum: allowed }: StructuralSchema,
): Difference | undefined {
  if (values === undefined || allowed === undefined) return undefined;
  const refused = values.filter((value) => value !== null && !allowed.some((other) => equalJson(value, other)));
  if (refused.length === 0) return undefined;
  const list = refused.map((value) => JSON.stringify(value)).join(', ');
  return { source: `may be ${list}`, target: 'may not' };
}

/** String formats without a common value. */
const EXCLUSIVE: readonly string[] = ['date', 'datetime', 'duration', 'ipv4', 'ipv6', 'cidr', 'mac', 'email', 'uuid'];

function formatDifference(source: StructuralSchema, target: StructuralSchema): Difference | undefined {
  const [format, wanted] = [source, target].map((schema) => schema.format.replaceAll('-', '')) as [string, string];
  if (format === wanted || !EXCLUSIVE.includes(format) || !EXCLUSIVE.includes(wanted)) return undefined;
  return { source: `has the format ${source.format}`, target: `has the format ${target.format}` };
}

const RANGES = [
  ['minimum', 'maximum', 'value'],
  ['minLength', 'maxLength', 'length'],
  ['minItems', 'maxItems', 'number of items'],
  ['minProperties', 'maxProperties', 'number of properties'],
] as const;

function rangeDifference(source: StructuralSchema, target: StructuralSchema): Difference | undefined {
  for (const [low, high, title] of RANGES) {
    const [least, most] = [source[low], source[high]];
    const [floor, ceiling] = [target[low], target[high]];
    if (least !== undefined && ceiling !== undefined && least > ceiling)
      return { source: `has a ${title} of at least ${least}`, target: `has one of at most ${ceiling}` };
    if (most !== undefined && floor !== undefined && most < floor)
      return { source: `has a ${title} of at most ${most}`, target: `has one of at least ${floor}` };
  }
  return undefined;
}
