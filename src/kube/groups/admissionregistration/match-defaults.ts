/** Defaults of the fields that select requests: in webhooks, policies and bindings. */
import { ensureObject, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { setDefault } from '../../../server/resource/strategy-fields.ts';

/** Sets the defaults of a MatchResources. */
export function setMatchResourcesDefaults(match: JsonObject | undefined): void {
  if (match === undefined) return;
  setMatchDefaults(match);
  setRuleDefaults(match, 'resourceRules');
  setRuleDefaults(match, 'excludeResourceRules');
}

export function setMatchDefaults(match: JsonObject): void {
  setDefault(match, 'matchPolicy', 'Equivalent');
  ensureObject(match, 'namespaceSelector');
  ensureObject(match, 'objectSelector');
}

export function setRuleDefaults(owner: JsonObject, name: string): void {
  for (const rule of objectsAt(owner, name)) setDefault(rule, 'scope', '*');
}
