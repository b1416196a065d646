/**
 * Defaults of devices, claims and taints, for every version of resource.k8s.io. Invariant: what is given stays. A taint without a time gets the present one, as in the
 * reference, so two readings of the same body may differ there.
 */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatTime, instantFromMillis } from '../../../apimachinery/scalars/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';

/** Only the part of a clock that defaults need. */
export type WallClock = Pick<Clock, 'now'>;

export function setClaimDefaults(claim: JsonObject): void {
  setClaimSpecDefaults(objectAt(claim, 'spec'));
  setResultDefaults(claim);
}

export function setClaimTemplateDefaults(template: JsonObject): void {
  setClaimSpecDefaults(objectAt(template, 'spec', 'spec'));
}

export function setBetaClaimDefaults(claim: JsonObject): void {
  setBetaClaimSpecDefaults(objectAt(claim, 'spec'));
  setResultDefaults(claim);
}

export function setBetaClaimTemplateDefaults(template: JsonObject): void {
  setBetaClaimSpecDefaults(objectAt(template, 'spec', 'spec'));
}

export function setSliceDefaults(slice: JsonObject, clock: WallClock): void {
  for (const device of objectsAt(slice, 'spec', 'devices')) setDeviceDefaults(device, clock);
}

/** In v1beta1 a device's fields stand in `basic`. */
export function setBetaSliceDefaults(slice: JsonObject, clock: WallClock): void {
  for (const device of objectsAt(slice, 'spec', 'devices')) {
    const basic = objectAt(device, 'basic');
    if (basic !== undefined) setDeviceDefaults(basic, clock);
  }
}

export function setTaintRuleDefaults(rule: JsonObject, clock: WallClock): void {
  const taint = objectAt(rule, 'spec', 'taint');
  if (taint !== undefined) setTaintDefaults(taint, clock);
}

export function setPoolStatusRequestDefaults(request: JsonObject): void {
  const spec = objectAt(request, 'spec');
  if (spec !== undefined && fieldAt(spec, 'limit') === undefined) spec['limit'] = 100;
}

/** The present time as taints hold it: whole seconds. */
export function presentTime(clock: WallClock): string {
  return formatTime(instantFromMillis(Math.floor(clock.now() / 1000) * 1000));
}

function setClaimSpecDefaults(spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  for (const request of objectsAt(spec, 'devices', 'requests')) {
    const exactly = objectAt(request, 'exactly');
    if (exactly !== undefined) setRequestDefaults(exactly);
    for (const alternative of objectsAt(request, 'firstAvailable')) setRequestDefaults(alternative);
  }
}

/** In v1beta1 a request is its own exact request, unless it names no class: then it consists of alternatives. */
function setBetaClaimSpecDefaults(spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  for (const request of objectsAt(spec, 'devices', 'requests')) {
    if (textAt(request, 'deviceClassName') === '') setTolerationDefaults(request);
    else setRequestDefaults(request);
    for (const alternative of objectsAt(request, 'firstAvailable')) setRequestDefaults(alternative);
  }
}

function setRequestDefaults(request: JsonObject): void {
  // An empty mode is one that conversion from v1beta1 left as it was.
  if (fieldAt(request, 'allocationMode') === undefined) request['allocationMode'] = 'ExactCount';
  if (request['allocationMode'] === 'ExactCount' && fieldAt(request, 'count') === undefined) request['count'] = 1;
  setTolerationDefaults(request);
}

function setResultDefaults(claim: JsonObject): void {
  for (const result of objectsAt(claim, 'status', 'allocation', 'devices', 'results')) setTolerationDefaults(result);
}

function setTolerationDefaults(owner: JsonObject): void {
  for (const toleration of objectsAt(owner, 'tolerations'))
    if (textAt(toleration, 'operator') === '') toleration['operator'] = 'Equal';
}

function setDeviceDefaults(device: JsonObject, clock: WallClock): void {
  const mappings = objectAt(device, 'nodeAllocatableResourceMappings') ?? {};
  for (const mapping of Object.values(mappings))
    if (isJsonObject(mapping) && fieldAt(mapping, 'allocationMultiplier') === undefined)
      mapping['allocationMultiplier'] = '1';
  for (const taint of objectsAt(device, 'taints')) setTaintDefaults(taint, clock);
}

function setTaintDefaults(taint: JsonObject, clock: WallClock): void {
  if (fieldAt(taint, 'timeAdded') === undefined) taint['timeAdded'] = presentTime(clock);
}
