/**
 * How a definition's versions are converted: strategy and webhook. Invariant: pure; fields are named as v1beta1 names them, whatever the version of the request, as in the reference.
 */

import { fieldAt, listAt, numberAt, objectAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkDns1035Label, checkDns1123Subdomain, checkPortNumber } from '../../apimachinery/validation/names.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isRecognizedReviewVersion, type ValidationOptions } from './validation-options.ts';
import { validateWebhookUrl } from './webhook-url.ts';

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

/** One of a few texts, and not none. */
export function validateChoice(text: string, choices: readonly string[], path: FieldPath): FieldIssue[] {
  if (text === '') return [required(path, '')];
  return choices.includes(text) ? [] : [notSupported(path, text, choices)];
}

function validateClientConfig(config: JsonObject, path: FieldPath, options: ValidationOptions): FieldIssue[] {
  const url = fieldAt(config, 'url');
  const service = objectAt(config, 'service');
  const bundle = textAt(config, 'caBundle');
  const issues: FieldIssue[] = [];
  if ((url === undefined) === (service === undefined))
    issues.push(required(path, 'exactly one of url or service is required'));
  else if (service === undefined) issues.push(...validateWebhookUrl(String(url), path.child('url')));
  else issues.push(...validateService(service, path.child('service')));
  if (bundle !== '' && !options.allowBadCaBundle) {
    const problem = options.caBundle(bundle);
    if (problem !== undefined) issues.push(declared(invalid(path.child('caBundle'), bundle, problem)));
  }
  return issues;
}

/** The reference takes the name for the namespace here and the other way round, so an empty one is told of the other. */
function validateService(service: JsonObject, path: FieldPath): FieldIssue[] {
  const port = Number(numberAt(service, 'port'));
  const issues: FieldIssue[] = [];
  if (textAt(service, 'namespace') === '') issues.push(required(path.child('name'), ''));
  if (textAt(service, 'name') === '') issues.push(required(path.child('namespace'), ''));
  const complaints = checkPortNumber(port);
  if (complaints.length > 0)
    issues.push(invalid(path.child('port'), port, `port is not valid: ${complaints.join(', ')}`));
  const urlPath = fieldAt(service, 'path');
  if (typeof urlPath === 'string') issues.push(...validateServicePath(urlPath, path.child('path')));
  return issues;
}

function validateServicePath(urlPath: string, path: FieldPath): FieldIssue[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalid(path, urlPath, 'segment[0] may not be empty')];
  const issues = urlPath.startsWith('/') ? [] : [invalid(path, urlPath, "must start with a '/'")];
  const inner = urlPath.slice(1);
  const steps = (inner.endsWith('/') ? inner.slice(0, -1) : inner).split('/');
  for (const [i, step] of steps.entries()) {
    if (step === '') issues.push(invalid(path, urlPath, `segment[${i}] may not be empty`));
    else
      for (const complaint of checkDns1123Subdomain(step))
        issues.push(invalid(path, urlPath, `segment[${i}]: ${complaint}`));
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
