/** Fields of structural schemas, found by rule paths. */
import { EMPTY_SCHEMA } from '../../../schema/structural/empty-schema.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { EVERY, type RulePath, type RuleStep } from './rule-path.ts';

/** Labels and annotations, the only metadata that rules name. */
const LABEL: StructuralSchema = { ...EMPTY_SCHEMA, type: 'string' };

/**
 * Returns the schema at a path of a whole resource: `any` where unknown fields are preserved, undefined where no value
 * can be.
 */
export function schemaAt(root: StructuralSchema, path: RulePath): StructuralSchema | 'any' | undefined {
  if (path[0] === 'metadata') return LABEL;
  let at: StructuralSchema = root;
  for (const step of path) {
    const next = stepInto(at, step);
    if (next === undefined || next === 'any') return next;
    at = next;
  }
  return at;
}

/** Returns the schema of a field or of the items, with the results of `schemaAt`. */
export function stepInto(schema: StructuralSchema, step: RuleStep): StructuralSchema | 'any' | undefined {
  const { additionalProperties: values, items, preserveUnknownFields } = schema;
  const next =
    step === EVERY ? items : (schema.properties.get(step) ?? (typeof values === 'object' ? values : undefined));
  return next ?? (preserveUnknownFields || values === true ? 'any' : undefined);
}

/** Reports whether a schema allows values of any type. */
export function isAny({ type, intOrString }: StructuralSchema): boolean {
  return type === '' && !intOrString;
}

/** Reports whether the schema is that of a map, whose keys are not listed. */
export function isMap({ type, additionalProperties }: StructuralSchema): boolean {
  return type === 'object' && additionalProperties !== undefined && additionalProperties !== false;
}

/**
 * Reports whether every valid object of the schema has the field after defaulting. `isRoot`: the schema is that of a
 * whole resource. A null counts as absent. The default of a status does not count, because objects are created without
 * a status.
 */
export function isAlwaysSet(schema: StructuralSchema, field: string, isRoot: boolean): boolean {
  if (isRoot && (field === 'apiVersion' || field === 'kind' || field === 'metadata')) return true;
  const property = schema.properties.get(field);
  if (property === undefined || property.nullable) return false;
  return schema.required.includes(field) || (property.default !== undefined && !(isRoot && field === 'status'));
}

/** Reports whether every valid object that has a value at `parent` also has one at `path`, which is below it. */
export function isAlwaysSetBelow(root: StructuralSchema, parent: RulePath, path: RulePath): boolean {
  for (let length = parent.length; length < path.length; length++) {
    const holder = schemaAt(root, path.slice(0, length));
    const step = path[length];
    if (step === EVERY || step === undefined || holder === undefined || holder === 'any') return false;
    if (!isAlwaysSet(holder, step, length === 0)) return false;
  }
  return true;
}
