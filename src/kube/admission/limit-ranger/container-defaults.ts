/**
 * The default requests and limits that containers get from a LimitRange. Amounts that a container sets are kept. An
 * annotation of the pod lists the amounts that were added.
 */
import { ensureObject, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { ensureMeta, specOf } from '../../../server/resource/strategy-fields.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Modifies the pod in place. */
export function setContainerDefaults(range: JsonObject, pod: JsonObject): void {
  const requests: JsonObject = {};
  const limits: JsonObject = {};
  for (const limit of objectsAt(range, 'spec', 'limits')) {
    if (textAt(limit, 'type') !== 'Container') continue;
    Object.assign(requests, objectAt(limit, 'defaultRequest'));
    Object.assign(limits, objectAt(limit, 'default'));
  }
  const notes: string[] = [];
  const spec = specOf(pod);
  for (const container of objectsAt(spec, 'containers')) merge(container, 'container', requests, limits, notes);
  for (const container of objectsAt(spec, 'initContainers'))
    merge(container, 'init container', requests, limits, notes);
  if (notes.length > 0)
    ensureObject(ensureMeta(pod), 'annotations')[ANNOTATION] = `LimitRanger plugin set: ${notes.join('; ')}`;
}

function merge(container: JsonObject, what: string, requests: JsonObject, limits: JsonObject, notes: string[]): void {
  const setLimits = fill(container, 'limits', limits);
  const setRequests = fill(container, 'requests', requests);
  const subject = `${what} ${textAt(container, 'name')}`;
  if (setRequests.length > 0) notes.push(`${setRequests.join(', ')} request for ${subject}`);
  if (setLimits.length > 0) notes.push(`${setLimits.join(', ')} limit for ${subject}`);
}

/** Adds missing amounts. Returns their names, sorted. */
function fill(container: JsonObject, kind: 'requests' | 'limits', defaults: JsonObject): readonly string[] {
  const present = objectAt(container, 'resources', kind) ?? {};
  const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(present, name));
  if (missing.length === 0) return missing;
  const amounts = ensureObject(ensureObject(container, 'resources'), kind);
  for (const name of missing) amounts[name] = defaults[name] as string;
  return missing.sort();
}
