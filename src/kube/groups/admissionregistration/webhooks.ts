/**
 * Webhook configurations. Invariant: pure; the issues are the reference's, in its order. What a stored configuration was once allowed to say, an update may keep.
 */

import { validateWebhookAddress } from '../../../admission/webhook-address.ts';
import { fieldAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateFullyQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1035Label } from '../../../apimachinery/validation/name-syntax.ts';
import { validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { validateOptionalChoice } from '../../shared/choices.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { validateMatchConditions, validateMatchPolicy, validateRule, validateSelectors } from './match.ts';

const METADATA = FieldPath.of('metadata');
const WEBHOOKS = FieldPath.of('webhooks');
export const FAILURE_POLICIES: readonly string[] = ['Fail', 'Ignore'];
export const REINVOCATION_POLICIES: readonly string[] = ['IfNeeded', 'Never'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** What is asked of a new configuration and, unless the stored one lacks it, of a changed one. */
interface Demands {
  readonly conditions: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly validLabelValues: boolean;
}

const ALL: Demands = {
  conditions: true,
  noSideEffects: true,
  knownReviewVersion: true,
  uniqueNames: true,
  validLabelValues: true,
};

/** Both kinds: only a mutating webhook has a reinvocationPolicy. */
export function validateWebhookConfiguration(configuration: JsonObject): FieldIssue[] {
  return validateConfiguration(configuration, ALL);
}

export function validateWebhookConfigurationUpdate(configuration: JsonObject, old: JsonObject): FieldIssue[] {
  const stored = objectsAt(old, 'webhooks');
  return validateConfiguration(configuration, {
    conditions: !sameConditions(objectsAt(configuration, 'webhooks'), stored),
    noSideEffects: stored.every((webhook) => NO_SIDE_EFFECTS.includes(textAt(webhook, 'sideEffects'))),
    knownReviewVersion: stored.every((webhook) => {
      const versions = textsAt(webhook, 'admissionReviewVersions');
      return versions.length === 0 || versions.some(isKnownVersion);
    }),
    uniqueNames: new Set(stored.map((webhook) => textAt(webhook, 'name'))).size === stored.length,
    validLabelValues: stored.every((webhook) => validateSelectors(webhook, WEBHOOKS).length === 0),
  });
}

function sameConditions(next: readonly JsonObject[], old: readonly JsonObject[]): boolean {
  if (next.length !== old.length) return false;
  return next.every((webhook, i) =>
    equalJson(fieldAt(webhook, 'matchConditions') ?? null, fieldAt(old[i] ?? {}, 'matchConditions') ?? null),
  );
}

function validateConfiguration(configuration: JsonObject, demands: Demands): FieldIssue[] {
  const rules = { namespaced: false, name: nameIsDnsSubdomain };
  const issues = validateObjectMeta(metaFacts(configuration), rules, METADATA);
  const names = new Set<string>();
  for (const [i, webhook] of objectsAt(configuration, 'webhooks').entries()) {
    const path = WEBHOOKS.index(i);
    addIssues(issues, validateWebhook(webhook, demands, path));
    addIssues(issues, validateReviewVersions(webhook, demands, path.child('admissionReviewVersions')));
    const name = textAt(webhook, 'name');
    if (demands.uniqueNames && names.has(name)) issues.push(duplicate(path.child('name'), name));
    if (name !== '') names.add(name);
  }
  return issues;
}

function validateWebhook(webhook: JsonObject, demands: Demands, path: FieldPath): FieldIssue[] {
  const issues = validateFullyQualifiedName(textAt(webhook, 'name'), path.child('name'));
  for (const [i, rule] of objectsAt(webhook, 'rules').entries())
    addIssues(issues, validateRule(rule, path.child('rules').index(i)));
  issues.push(...validateOptionalChoice(webhook, 'failurePolicy', FAILURE_POLICIES, path));
  issues.push(...validateMatchPolicy(webhook, path));
  issues.push(...validateSideEffects(webhook, demands.noSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS, path));
  const timeout = fieldAt(webhook, 'timeoutSeconds');
  if (typeof timeout === 'number' && (timeout > 30 || timeout < 1))
    issues.push(invalid(path.child('timeoutSeconds'), timeout, 'the timeout value must be between 1 and 30 seconds'));
  addIssues(issues, validateSelectors(webhook, path, !demands.validLabelValues));
  issues.push(...validateOptionalChoice(webhook, 'reinvocationPolicy', REINVOCATION_POLICIES, path));
  addIssues(issues, validateWebhookAddress(objectAt(webhook, 'clientConfig') ?? {}, path.child('clientConfig')));
  if (demands.conditions) addIssues(issues, validateMatchConditions(webhook, path, false));
  return issues;
}

function validateSideEffects(webhook: JsonObject, allowed: readonly string[], path: FieldPath): FieldIssue[] {
  const value = fieldAt(webhook, 'sideEffects');
  if (typeof value !== 'string')
    return [required(path.child('sideEffects'), `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(value) ? [] : [declared(notSupported(path.child('sideEffects'), value, allowed))];
}

function isKnownVersion(version: string): boolean {
  return REVIEW_VERSIONS.includes(version);
}

function validateReviewVersions(webhook: JsonObject, demands: Demands, path: FieldPath): FieldIssue[] {
  const versions = textsAt(webhook, 'admissionReviewVersions');
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [required(path, `must specify one of ${known}`)];
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const complaints = seen.has(version) ? ['duplicate version'] : checkDns1035Label(version);
    for (const complaint of complaints) issues.push(invalid(path.index(i), version, complaint));
    seen.add(version);
  }
  if (demands.knownReviewVersion && !versions.some(isKnownVersion))
    issues.push(invalid(path, [...versions], `must include at least one of ${known}`));
  return issues;
}

/** Names that a later version keeps for configurations that come from files. */
const STATIC_SUFFIX = '.static.k8s.io';

/** Of every kind of this group. */
export function staticNameWarnings(object: JsonObject): readonly string[] {
  if (!textAt(object, 'metadata', 'name').endsWith(STATIC_SUFFIX)) return [];
  return [
    `metadata.name: names ending with "${STATIC_SUFFIX}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}
