/** Defaults of webhook configurations and admission policies. Invariant: what is given stays, an empty selector included; the same for every version of a policy. */
import { ensureObject, fieldAt, objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import { arrangeFields } from '../../object-fields.ts';

/** Fields in the order of their types, from the first that has a default. */
const WEBHOOK_ORDER = [
  'failurePolicy',
  'matchPolicy',
  'namespaceSelector',
  'objectSelector',
  'sideEffects',
  'timeoutSeconds',
  'admissionReviewVersions',
  'reinvocationPolicy',
  'matchConditions',
];
const MATCH_ORDER = ['namespaceSelector', 'objectSelector', 'resourceRules', 'excludeResourceRules', 'matchPolicy'];
/** Of both kinds of policies: what only one of them has stands where it has it. */
const POLICY_ORDER = ['failurePolicy', 'auditAnnotations', 'matchConditions', 'reinvocationPolicy'];

export function setValidatingWebhookDefaults(configuration: JsonObject): void {
  setWebhooksDefaults(configuration, false);
}

export function setMutatingWebhookDefaults(configuration: JsonObject): void {
  setWebhooksDefaults(configuration, true);
}

function setWebhooksDefaults(configuration: JsonObject, mutating: boolean): void {
  for (const webhook of objectsAt(configuration, 'webhooks')) {
    const fields = Object.keys(webhook).length;
    setWebhookDefaults(webhook);
    if (mutating) setDefault(webhook, 'reinvocationPolicy', 'Never');
    if (Object.keys(webhook).length > fields) arrangeFields(webhook, WEBHOOK_ORDER);
  }
}

function setWebhookDefaults(webhook: JsonObject): void {
  setDefault(webhook, 'failurePolicy', 'Fail');
  setMatchDefaults(webhook);
  setDefault(webhook, 'timeoutSeconds', 10);
  const service = objectAt(webhook, 'clientConfig', 'service');
  if (service !== undefined) setDefault(service, 'port', 443);
  setRuleDefaults(webhook, 'rules');
}

/** Of both kinds of policies. */
export function setPolicyDefaults(policy: JsonObject): void {
  const spec = ensureObject(policy, 'spec');
  if (fieldAt(spec, 'failurePolicy') === undefined) {
    spec['failurePolicy'] = 'Fail';
    // Variables are the last field of a validating policy; in a mutating one they stand before.
    arrangeFields(spec, fieldAt(spec, 'mutations') === undefined ? [...POLICY_ORDER, 'variables'] : POLICY_ORDER);
  }
  setMatchResourcesDefaults(objectAt(spec, 'matchConstraints'));
}

/** Of both kinds of bindings. */
export function setBindingDefaults(binding: JsonObject): void {
  setMatchResourcesDefaults(objectAt(binding, 'spec', 'matchResources'));
}

/** v1alpha1 alone says what happens if the parameter is missing. */
export function setAlphaBindingDefaults(binding: JsonObject): void {
  const reference = objectAt(binding, 'spec', 'paramRef');
  if (reference !== undefined) setDefault(reference, 'parameterNotFoundAction', 'Deny');
  setBindingDefaults(binding);
}

function setMatchResourcesDefaults(match: JsonObject | undefined): void {
  if (match === undefined) return;
  const fields = Object.keys(match).length;
  setMatchDefaults(match);
  if (Object.keys(match).length > fields) arrangeFields(match, MATCH_ORDER);
  setRuleDefaults(match, 'resourceRules');
  setRuleDefaults(match, 'excludeResourceRules');
}

function setMatchDefaults(match: JsonObject): void {
  setDefault(match, 'matchPolicy', 'Equivalent');
  ensureObject(match, 'namespaceSelector');
  ensureObject(match, 'objectSelector');
}

function setRuleDefaults(owner: JsonObject, name: string): void {
  for (const rule of objectsAt(owner, name)) setDefault(rule, 'scope', '*');
}

function setDefault(object: JsonObject, name: string, value: JsonValue): void {
  if (fieldAt(object, name) === undefined) object[name] = value;
}
