/** Defaults of webhook configurations and admission policies. Invariant: what is given stays, an empty selector included; the same for every version of a policy. */
import { ensureObject, objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { setDefault } from '../../shared/object-fields.ts';

export function setValidatingWebhookDefaults(configuration: JsonObject): void {
  for (const webhook of objectsAt(configuration, 'webhooks')) setWebhookDefaults(webhook);
}

export function setMutatingWebhookDefaults(configuration: JsonObject): void {
  for (const webhook of objectsAt(configuration, 'webhooks')) {
    setWebhookDefaults(webhook);
    setDefault(webhook, 'reinvocationPolicy', 'Never');
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
  setDefault(spec, 'failurePolicy', 'Fail');
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
  setMatchDefaults(match);
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
