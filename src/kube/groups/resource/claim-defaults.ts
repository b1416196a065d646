/** Defaults of the specs of ResourceClaims and of their templates, for every version. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';

export function setClaimSpecDefaults(spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  for (const request of objectsAt(spec, 'devices', 'requests')) {
    const exactly = objectAt(request, 'exactly');
    if (exactly !== undefined) setRequestDefaults(exactly);
    for (const alternative of objectsAt(request, 'firstAvailable')) setRequestDefaults(alternative);
  }
}

/**
 * In v1beta1 the fields of an exact request are fields of the request itself. A request without a device class consists
 * of alternatives.
 */
export function setV1beta1ClaimSpecDefaults(spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  for (const request of objectsAt(spec, 'devices', 'requests')) {
    if (textAt(request, 'deviceClassName') === '') setTolerationDefaults(request);
    else setRequestDefaults(request);
    for (const alternative of objectsAt(request, 'firstAvailable')) setRequestDefaults(alternative);
  }
}

function setRequestDefaults(request: JsonObject): void {
  // Conversion from v1beta1 leaves an empty mode, which gets no default.
  if (fieldAt(request, 'allocationMode') === undefined) request['allocationMode'] = 'ExactCount';
  if (request['allocationMode'] === 'ExactCount' && fieldAt(request, 'count') === undefined) request['count'] = 1;
  setTolerationDefaults(request);
}

export function setTolerationDefaults(owner: JsonObject): void {
  for (const toleration of objectsAt(owner, 'tolerations'))
    if (textAt(toleration, 'operator') === '') toleration['operator'] = 'Equal';
}
