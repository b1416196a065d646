/**
 * Conversion between resource.k8s.io/v1beta1 and the later versions. In v1beta1 the fields of a device are in `basic`,
 * and the fields of an exact request are fields of the request. Invariant: the argument is not modified, and a round
 * trip returns an equal object.
 */
import { listAt, objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';

const GROUP = 'resource.k8s.io';
/** The fields of an exact request, in the field order of the v1 type. */
const EXACT_FIELDS = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
] as const;

type Change = (spec: JsonObject) => JsonObject;

/** Versions other than v1beta1 differ only in their type fields. */
export function convertClaim(claim: JsonObject, from: string, to: string): JsonObject {
  return withSpec(claim, to, requestsChange(from, to));
}

export function convertClaimTemplate(template: JsonObject, from: string, to: string): JsonObject {
  const change = requestsChange(from, to);
  return withSpec(template, to, (outer) => {
    const spec = objectAt(outer, 'spec');
    return spec === undefined ? outer : { ...outer, spec: change(spec) };
  });
}

export function convertSlice(slice: JsonObject, from: string, to: string): JsonObject {
  const fromV1beta1 = from === 'v1beta1';
  if (fromV1beta1 === (to === 'v1beta1')) return withSpec(slice, to, (spec) => spec);
  return withSpec(slice, to, (spec) => {
    const devices = listAt(spec, 'devices');
    const changed =
      devices.length === 0 ? spec : { ...spec, devices: devices.map(fromV1beta1 ? flatDevice : nestedDevice) };
    return fromV1beta1 ? withoutEmptyPlacement(changed) : changed;
  });
}

/** v1beta1 does not distinguish an empty nodeName or `allNodes: false` from an absent field. */
function withoutEmptyPlacement(spec: JsonObject): JsonObject {
  const { nodeName, allNodes, ...rest } = spec;
  if (nodeName !== '' && allNodes !== false) return spec;
  return {
    ...rest,
    ...(nodeName === undefined || nodeName === '' ? undefined : { nodeName }),
    ...(allNodes === true ? { allNodes } : undefined),
  };
}

function withSpec(object: JsonObject, version: string, change: Change): JsonObject {
  const spec = objectAt(object, 'spec');
  const typed = { ...object, apiVersion: `${GROUP}/${version}` };
  return spec === undefined ? typed : { ...typed, spec: change(spec) };
}

function requestsChange(from: string, to: string): Change {
  const fromV1beta1 = from === 'v1beta1';
  if (fromV1beta1 === (to === 'v1beta1')) return (spec) => spec;
  return (spec) => {
    const devices = objectAt(spec, 'devices');
    const requests = devices === undefined ? [] : listAt(devices, 'requests');
    if (requests.length === 0) return spec;
    return { ...spec, devices: { ...devices, requests: requests.map(fromV1beta1 ? nestedRequest : flatRequest) } };
  };
}

/**
 * v1beta1 always writes `deviceClassName`. A request without a class and without other fields of an exact request has
 * no exact request. A request with other fields but no class is invalid; it gets empty values so that no default is
 * set.
 */
function nestedRequest(request: JsonValue): JsonValue {
  if (!isJsonObject(request)) return request;
  const { name, firstAvailable } = request;
  const exactly: JsonObject = {};
  for (const field of EXACT_FIELDS) {
    const value = request[field];
    if (value !== undefined && value !== '') exactly[field] = value;
  }
  const isGiven = Object.keys(exactly).length > 0;
  const whole = exactly['deviceClassName'] === undefined ? { ...UNSET, ...exactly } : exactly;
  return {
    ...(name === undefined ? undefined : { name }),
    ...(isGiven ? { exactly: whole } : undefined),
    ...(firstAvailable === undefined ? undefined : { firstAvailable }),
  };
}

const UNSET: JsonObject = { deviceClassName: '', allocationMode: '', count: 0 };

function flatRequest(request: JsonValue): JsonValue {
  if (!isJsonObject(request)) return request;
  const { name, exactly, ...rest } = request;
  const own = isJsonObject(exactly) ? exactly : {};
  return { ...(name === undefined ? undefined : { name }), deviceClassName: '', ...own, ...rest };
}

function flatDevice(device: JsonValue): JsonValue {
  if (!isJsonObject(device)) return device;
  const { name, basic } = device;
  return { ...(name === undefined ? undefined : { name }), ...(isJsonObject(basic) ? basic : undefined) };
}

function nestedDevice(device: JsonValue): JsonValue {
  if (!isJsonObject(device)) return device;
  const { name, ...basic } = device;
  return { ...(name === undefined ? undefined : { name }), basic };
}
