/**
 * Rules that ValidatingWebhookConfiguration and MutatingWebhookConfiguration share: defaults, columns, strategy and
 * validation. An update may keep invalid values that the stored configuration has.
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
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { metaFacts, setDefault } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { validateOptionalChoice } from '../../shared/choices.ts';
import { admissionStrategy } from './admission-definitions.ts';
import { setMatchDefaults, setRuleDefaults } from './match-defaults.ts';
import { validateMatchConditions, validateMatchPolicy, validateRule, validateSelectors } from './validate-match.ts';

const METADATA = FieldPath.of('metadata');
const WEBHOOKS = FieldPath.of('webhooks');
export const FAILURE_POLICIES: readonly string[] = ['Fail', 'Ignore'];
export const REINVOCATION_POLICIES: readonly string[] = ['IfNeeded', 'Never'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** The checks that apply to a new configuration. An update skips those that the stored configuration does not pass. */
interface Checks {
  readonly conditions: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly validLabelValues: boolean;
}

export const webhookTable: () => TableDefinition = tableOf(
  NAME,
  column('Webhooks', 'How many webhooks it holds.', (object) => objectsAt(object, 'webhooks').length, {
    type: 'integer',
  }),
  AGE,
);

export const WEBHOOK_STRATEGY: Strategy = admissionStrategy({
  validate: validateWebhookConfiguration,
  validateUpdate: validateWebhookConfigurationUpdate,
});

const ALL: Checks = {
  conditions: true,
  noSideEffects: true,
  knownReviewVersion: true,
  uniqueNames: true,
  validLabelValues: true,
};

/** Sets the defaults that webhooks of both kinds have. */
export function setWebhookDefaults(webhook: JsonObject): void {
  setDefault(webhook, 'failurePolicy', 'Fail');
  setMatchDefaults(webhook);
  setDefault(webhook, 'timeoutSeconds', 10);
  const service = objectAt(webhook, 'clientConfig', 'service');
  if (service !== undefined) setDefault(service, 'port', 443);
  setRuleDefaults(webhook, 'rules');
}

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

function validateConfiguration(configuration: JsonObject, checks: Checks): FieldIssue[] {
  const rules = { namespaced: false, name: nameIsDnsSubdomain };
  const issues = validateObjectMeta(metaFacts(configuration), rules, METADATA);
  const names = new Set<string>();
  for (const [i, webhook] of objectsAt(configuration, 'webhooks').entries()) {
    const path = WEBHOOKS.index(i);
    addIssues(issues, validateWebhook(webhook, checks, path));
    addIssues(issues, validateReviewVersions(webhook, checks, path.child('admissionReviewVersions')));
    const name = textAt(webhook, 'name');
    if (checks.uniqueNames && names.has(name)) issues.push(duplicate(path.child('name'), name));
    if (name !== '') names.add(name);
  }
  return issues;
}

function validateWebhook(webhook: JsonObject, checks: Checks, path: FieldPath): FieldIssue[] {
  const issues = validateFullyQualifiedName(textAt(webhook, 'name'), path.child('name'));
  for (const [i, rule] of objectsAt(webhook, 'rules').entries())
    addIssues(issues, validateRule(rule, path.child('rules').index(i)));
  issues.push(...validateOptionalChoice(webhook, 'failurePolicy', FAILURE_POLICIES, path));
  issues.push(...validateMatchPolicy(webhook, path));
  issues.push(...validateSideEffects(webhook, checks.noSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS, path));
  const timeout = fieldAt(webhook, 'timeoutSeconds');
  if (typeof timeout === 'number' && (timeout > 30 || timeout < 1))
    issues.push(invalid(path.child('timeoutSeconds'), timeout, 'the timeout value must be between 1 and 30 seconds'));
  addIssues(issues, validateSelectors(webhook, path, !checks.validLabelValues));
  issues.push(...validateOptionalChoice(webhook, 'reinvocationPolicy', REINVOCATION_POLICIES, path));
  addIssues(issues, validateWebhookAddress(objectAt(webhook, 'clientConfig') ?? {}, path.child('clientConfig')));
  if (checks.conditions) addIssues(issues, validateMatchConditions(webhook, path, false));
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

function validateReviewVersions(webhook: JsonObject, checks: Checks, path: FieldPath): FieldIssue[] {
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
  if (checks.knownReviewVersion && !versions.some(isKnownVersion))
    issues.push(invalid(path, [...versions], `must include at least one of ${known}`));
  return issues;
}
