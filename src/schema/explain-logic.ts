/** What is wrong with a value under anyOf, oneOf, allOf and not. Invariant: as in the reference, the alternative that matched most is the one explained, and ratcheting ends here. */
import { quote } from '../apimachinery/go-format.ts';
import type { JsonValue } from '../base/json-value.ts';
import { explain } from './explain.ts';
import type { Place, ValidationResult } from './validation-result.ts';
import type { ValidatorNode } from './validator-node.ts';

export function explainLogic(result: ValidationResult, node: ValidatorNode, value: JsonValue, place: Place): void {
  if (node.hasLogic) {
    explainAnyOf(result, node.anyOf, value, place);
    explainOneOf(result, node.oneOf, value, place);
    explainAllOf(result, node.allOf, value, place);
    if (node.not !== undefined && resultOf(result, node.not, value, place).isValid)
      result.addGeneral(`${quote(place)} must not validate the schema (not)`);
  }
  result.matches++;
}

function resultOf(parent: ValidationResult, node: ValidatorNode, value: JsonValue, place: Place): ValidationResult {
  const result = parent.fresh();
  explain(result, node, value, place, undefined);
  return result;
}

type Alternatives = readonly ValidatorNode[];

function explainAnyOf(result: ValidationResult, parts: Alternatives, value: JsonValue, place: Place): void {
  let best: ValidationResult | undefined;
  for (const part of parts) {
    const found = resultOf(result, part, value, place);
    if (found.isValid) {
      result.merge(found);
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  if (best === undefined) return;
  result.addGeneral(`${quote(place)} must validate at least one schema (anyOf)`);
  result.merge(best);
}

function explainOneOf(result: ValidationResult, parts: Alternatives, value: JsonValue, place: Place): void {
  if (parts.length === 0) return;
  let valid = 0;
  let first: ValidationResult | undefined;
  let best: ValidationResult | undefined;
  for (const part of parts) {
    const found = resultOf(result, part, value, place);
    if (found.isValid) {
      valid++;
      first ??= found;
    } else if (best === undefined || found.matches > best.matches) best = found;
  }
  if (valid === 1) {
    result.merge(first as ValidationResult);
    return;
  }
  const how = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  result.addGeneral(`${quote(place)} must validate one and only one schema (oneOf). ${how}`);
  if (valid === 0) result.merge(best as ValidationResult);
}

function explainAllOf(result: ValidationResult, parts: Alternatives, value: JsonValue, place: Place): void {
  let valid = 0;
  for (const part of parts) {
    const found = resultOf(result, part, value, place);
    if (found.isValid) valid++;
    result.merge(found);
  }
  if (valid === parts.length) return;
  const none = valid === 0 ? '. None validated' : '';
  result.addGeneral(`${quote(place)} must validate all the schemas (allOf)${none}`);
}
