/**
 * Validation of the conversion of a definition: strategy and webhook. Fields are named as in v1beta1 in requests of
 * both versions, as kube-apiserver does.
 */

import { validateWebhookAddress } from '../../../admission/webhook-address.ts';
import { listAt, objectAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1035Label } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { isRecognizedReviewVersion, type ValidationOptions } from './validation-options.ts';

const STRATEGIES = ['None', 'Webhook'];
const NOT_A_WEBHOOK = 'should not be set when strategy is not set to Webhook';

export function validateConversion(
  conversion: JsonObject | undefined,
  path: FieldPath,
  options: ValidationOptions,
): FieldIssue[] {
  if (conversion === undefined) return [];
  const strategy = textAt(conversion, 'strategy');
  const config = objectAt(conversion, 'webhookClientConfig');
  const configPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  const issues = validateChoice(strategy, STRATEGIES, path.child('strategy'));
  if (strategy === 'Webhook') {
    if (config === undefined) issues.push(required(configPath, 'required when strategy is set to Webhook'));
    else issues.push(...validateClientConfig(config, configPath, options));
    issues.push(...validateReviewVersions(textsAt(conversion, 'conversionReviewVersions'), versionsPath, options));
    return issues;
  }
  if (config !== undefined) issues.push(forbidden(configPath, NOT_A_WEBHOOK));
  if (listAt(conversion, 'conversionReviewVersions').length > 0) issues.push(forbidden(versionsPath, NOT_A_WEBHOOK));
  return issues;
}

/** Requires one of the choices. */
export function validateChoice(text: string, choices: readonly string[], path: FieldPath): FieldIssue[] {
  if (text === '') return [required(path, '')];
  return choices.includes(text) ? [] : [notSupported(path, text, choices)];
}

function validateClientConfig(config: JsonObject, path: FieldPath, options: ValidationOptions): FieldIssue[] {
  const bundle = textAt(config, 'caBundle');
  const issues = validateWebhookAddress(config, path);
  if (bundle !== '' && !options.allowBadCaBundle) {
    const problem = options.caBundle(bundle);
    if (problem !== undefined) issues.push(declared(invalid(path.child('caBundle'), bundle, problem)));
  }
  return issues;
}

function validateReviewVersions(
  versions: readonly string[],
  path: FieldPath,
  options: ValidationOptions,
): FieldIssue[] {
  if (versions.length === 0) return [required(path, '')];
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const complaints = seen.has(version) ? ['duplicate version'] : checkDns1035Label(version);
    for (const complaint of complaints) issues.push(invalid(path.index(i), version, complaint));
    seen.add(version);
  }
  if (options.requireRecognizedReviewVersion && !versions.some(isRecognizedReviewVersion))
    issues.push(invalid(path, [...versions], 'must include at least one of v1, v1beta1'));
  return issues;
}
