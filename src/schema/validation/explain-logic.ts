/** What is wrong with a value under anyOf, oneOf, allOf and not. Invariant: as in the reference, the alternative that matched most is the one explained, and ratcheting ends here. */
import { quote } from '../../apimachinery/go-format.ts';
import type { Place, ValidationResult } from './validation-result.ts';
import type { ValidatorNode } from './validator-node.ts';

/** What a part of the node finds wrong with the value. */
export type Judge = (part: ValidatorNode) => ValidationResult;

export function explainLogic(result: ValidationResult, node: ValidatorNode, place: Place, judge: Judge): void {
  if (node.hasLogic) {
    explainAnyOf(result, node.anyOf, place, judge);
    explainOneOf(result, node.oneOf, place, judge);
    explainAllOf(result, node.allOf, place, judge);
    if (node.not !== undefined && judge(node.not).isValid)
      result.addGeneral(`${quote(place)} must not validate the schema (not)`);
  }
  result.matches++;
}

type Alternatives = readonly ValidatorNode[];

function explainAnyOf(result: ValidationResult, parts: Alternatives, place: Place, judge: Judge): void {
  let best: ValidationResult | undefined;
  for (const part of parts) {
    const found = judge(part);
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

function explainOneOf(result: ValidationResult, parts: Alternatives, place: Place, judge: Judge): void {
  if (parts.length === 0) return;
  let valid = 0;
  let first: ValidationResult | undefined;
  let best: ValidationResult | undefined;
  for (const part of parts) {
    const found = judge(part);
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

function explainAllOf(result: ValidationResult, parts: Alternatives, place: Place, judge: Judge): void {
  let valid = 0;
  for (const part of parts) {
    const found = judge(part);
    if (found.isValid) valid++;
    result.merge(found);
  }
  if (valid === parts.length) return;
  const none = valid === 0 ? '. None validated' : '';
  result.addGeneral(`${quote(place)} must validate all the schemas (allOf)${none}`);
}
