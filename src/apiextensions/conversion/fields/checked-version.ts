/** A version of a definition, as the checks of field rules see it. */

import type { JsonObject } from '../../../base/json-value.ts';
import { nearestName } from '../../../base/nearest-name.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { RulePlace, RuleProblem, VersionPair } from './field-rules.ts';
import { EVERY, formatRulePath, type RulePath } from './rule-path.ts';
import { schemaAt } from './schema-fields.ts';

export interface CheckedVersion {
  readonly name: string;
  /** Undefined for a version without a structural schema, which only v1beta1 allows. */
  readonly schema: StructuralSchema | undefined;
  /** Drops fields that the schema does not have, in place. */
  prune(object: JsonObject): void;
}

/** A pair of versions that have schemas. */
export interface CheckedPair {
  readonly pair: VersionPair;
  readonly from: CheckedVersion & { readonly schema: StructuralSchema };
  readonly to: CheckedVersion & { readonly schema: StructuralSchema };
}

/** Reports a path that no field of the version has. `other` is the other version of the pair. */
export function missingField(
  path: RulePath,
  at: RulePlace,
  version: CheckedPair['from'],
  other: CheckedPair['from'],
): RuleProblem | undefined {
  if (schemaAt(version.schema, path) !== undefined) return undefined;
  const value = formatRulePath(path);
  const message = `is not a field of version ${version.name}`;
  const near = similarPath(version.schema, path);
  if (near !== undefined) return { at, value, message: `${message}; did you mean ${formatRulePath(near)}?` };
  const isOther = schemaAt(other.schema, path) !== undefined;
  return {
    at,
    value,
    message: isOther ? `${message}, but of ${other.name}: this path must name a field of ${version.name}` : message,
  };
}

/** Returns the path with its first unknown step replaced by a similar one; undefined if that is not a field either. */
function similarPath(schema: StructuralSchema, path: RulePath): RulePath | undefined {
  let known = 0;
  while (schemaAt(schema, path.slice(0, known + 1)) !== undefined) known++;
  const holder = schemaAt(schema, path.slice(0, known));
  const step = path[known];
  if (holder === undefined || holder === 'any' || step === EVERY || step === undefined) return undefined;
  const near = nearestName(step, holder.properties.keys());
  if (near === undefined) return undefined;
  const similar = [...path.slice(0, known), near, ...path.slice(known + 1)];
  return schemaAt(schema, similar) === undefined ? undefined : similar;
}
