/**
 * The messages of `anyOf`, `oneOf`, `allOf` and `not`. Like kube-apiserver, it explains the alternative that passed the
 * most checks and does not apply ratcheting below a logic operator.
 */
import { quote } from '../../apimachinery/go-format.ts';
import type { Place, ValidationResult } from './validation-result.ts';
import type { ValidatorNode } from './validator-node.ts';

/** Validates the value against one part of a logic operator. */
export type ExplainPart = (part: ValidatorNode) => ValidationResult;

export function explainLogic(
  result: ValidationResult,
  node: ValidatorNode,
  place: Place,
  explainPart: ExplainPart,
): void {
  if (node.hasLogic) {
    explainAnyOf(result, node.anyOf, place, explainPart);
    explainOneOf(result, node.oneOf, place, explainPart);
    explainAllOf(result, node.allOf, place, explainPart);
    if (node.not !== undefined && explainPart(node.not).isValid)
      result.addGeneral(`${quote(place)} must not validate the schema (not)`);
  }
  result.matches++;
}

type Alternatives = readonly ValidatorNode[];

function explainAnyOf(result: ValidationResult, parts: Alternatives, place: Place, explainPart: ExplainPart): void {
  let best: ValidationResult | undefined;
  for (const part of parts) {
    const found = explainPart(part);
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

function explainOneOf(result: ValidationResult, parts: Alternatives, place: Place, explainPart: ExplainPart): void {
  if (parts.length === 0) return;
  let valid = 0;
  let first: ValidationResult | undefined;
  let best: ValidationResult | undefined;
  for (const part of parts) {
    const found = explainPart(part);
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

function explainAllOf(result: ValidationResult, parts: Alternatives, place: Place, explainPart: ExplainPart): void {
  let valid = 0;
  for (const part of parts) {
    const found = explainPart(part);
    if (found.isValid) valid++;
    result.merge(found);
  }
  if (valid === parts.length) return;
  const none = valid === 0 ? '. None validated' : '';
  result.addGeneral(`${quote(place)} must validate all the schemas (allOf)${none}`);
}
