/**
 * Validation of the status of ResourceClaims: allocation, reservations and device status. An allocation is immutable.
 */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, objectAt, objectsAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
  tooLong,
  tooMany,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { isLongerThan } from '../../../../apimachinery/validation/text-rules.ts';
import { FIELD_IMMUTABLE } from '../../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';
import { resourceShapes } from '../../../../kinds/shapes/resource.ts';
import { keepAllButStatus } from '../../../../server/resource/strategy-fields.ts';
import { validateChoice } from '../../../shared/choices.ts';
import { validateConditions } from '../../../shared/conditions.ts';
import { validateInterfaceAddress } from '../../../shared/interface-address.ts';
import { validateNodeSelector } from '../../../shared/node-selector.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { validateBindingConditions } from '../validate-binding-conditions.ts';
import {
  MAX_CONFIGS,
  MAX_REQUESTS,
  type RequestNames,
  requestNames,
  validateConfiguration,
  validateRawObject,
  validateRequestReference,
  validateRequestReferences,
} from '../validate-device-claim.ts';
import { validateList, validateSet } from '../validate-list.ts';
import { validateDriverName, validateLabel, validatePoolName, validateUid } from '../validate-names.ts';

const STATUS = FieldPath.of('status');
const SOURCES = ['FromClaim', 'FromClass'];
const MAX_RESERVATIONS = 256;
const MAX_DEVICE_CONDITIONS = 8;
const MAX_DATA_BYTES = 10 * 1024;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const MAX_IPS = 16;

/** Drops the status of devices that the update deallocates. */
export function prepareClaimStatusForUpdate(claim: JsonObject, old: JsonObject): void {
  keepAllButStatus(claim, old);
  const status = objectAt(claim, 'status');
  if (status === undefined || fieldAt(status, 'devices') === undefined) return;
  const kept = allocatedDevices(claim);
  const gone = new Set([...allocatedDevices(old)].filter((id) => !kept.has(id)));
  const devices = objectsAt(status, 'devices').filter((device) => !gone.has(deviceId(device)));
  if (devices.length === 0) delete status['devices'];
  else status['devices'] = [...devices];
}

export function validateClaimStatusUpdate(claim: JsonObject, old: JsonObject): FieldIssue[] {
  const names = requestNames(objectAt(claim, 'spec', 'devices') ?? {});
  const reservations = objectsAt(claim, 'status', 'reservedFor');
  const allocated = allocatedDevices(claim);
  const issues = [
    ...validateMetaUpdate(claim, old),
    ...validateSet(reservations, MAX_RESERVATIONS, STATUS.child('reservedFor'), validateReservation, (consumer) =>
      textAt(consumer, 'uid'),
    ),
    ...validateSet(
      objectsAt(claim, 'status', 'devices'),
      undefined,
      STATUS.child('devices'),
      (device, path) => validateDeviceStatus(device, allocated, path),
      deviceId,
      shownId,
    ),
  ];
  const allocation = objectAt(claim, 'status', 'allocation');
  const stored = objectAt(old, 'status', 'allocation');
  if (reservations.length > 0) {
    if (allocation === undefined)
      issues.push(forbidden(STATUS.child('reservedFor'), 'may not be specified when `allocated` is not set'));
    else if (fieldAt(claim, 'metadata', 'deletionTimestamp') !== undefined && hasNewReservation(reservations, old))
      issues.push(
        forbidden(
          STATUS.child('reservedFor'),
          'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
        ),
      );
  }
  const path = STATUS.child('allocation');
  if (allocation === undefined) return issues;
  if (stored === undefined) addIssues(issues, validateAllocation(allocation, names, path));
  else if (!equalJson(allocation, stored))
    issues.push(declared(invalid(path, goValue(resourceShapes, 'AllocationResult', allocation), FIELD_IMMUTABLE)));
  return issues;
}

function validateReservation(consumer: JsonObject, path: FieldPath): FieldIssue[] {
  return ['resource', 'name', 'uid']
    .filter((name) => textAt(consumer, name) === '')
    .map((name) => required(path.child(name), ''));
}

function hasNewReservation(reservations: readonly JsonObject[], old: JsonObject): boolean {
  const stored = new Set(objectsAt(old, 'status', 'reservedFor').map(consumerId));
  return reservations.some((consumer) => !stored.has(consumerId(consumer)));
}

function consumerId(consumer: JsonObject): string {
  return JSON.stringify(['apiGroup', 'resource', 'name', 'uid'].map((name) => textAt(consumer, name)));
}

/** Returns driver, pool, device and share as one key. */
function deviceId(device: JsonObject): string {
  const id = ['driver', 'pool', 'device'].map((name) => textAt(device, name)).join('/');
  const share = textAt(device, 'shareID');
  return share === '' ? id : `${id}/${share}`;
}

/**
 * The device as a Go type of the allocator prints it. The type has no versioned form, so its shape is not generated.
 */
function shownId(device: JsonObject): JsonObject {
  const [driver, pool, name, share] = ['driver', 'pool', 'device', 'shareID'].map((field) => textAt(device, field));
  return { Driver: driver ?? '', Pool: pool ?? '', Device: name ?? '', ShareID: share ?? '' };
}

function allocatedDevices(claim: JsonObject): ReadonlySet<string> {
  return new Set(objectsAt(claim, 'status', 'allocation', 'devices', 'results').map(deviceId));
}

// ── Allocation ───────────────────────────────────────────────────────────────────────────────────────────────────────

function validateAllocation(allocation: JsonObject, names: RequestNames, path: FieldPath): FieldIssue[] {
  const at = path.child('devices');
  const selector = objectAt(allocation, 'nodeSelector');
  return [
    ...validateList(
      objectsAt(allocation, 'devices', 'results'),
      MAX_REQUESTS,
      at.child('results'),
      (result, resultPath) => validateResult(result, names, resultPath),
    ),
    ...validateList(
      objectsAt(allocation, 'devices', 'config'),
      2 * MAX_CONFIGS,
      at.child('config'),
      (config, configPath) => [
        ...validateSource(config, configPath),
        ...validateRequestReferences(config, names, configPath),
        ...validateConfiguration(config, configPath),
      ],
    ),
    ...(selector === undefined ? [] : validateNodeSelector(selector, path.child('nodeSelector'))),
  ];
}

function validateSource(config: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  validateChoice(config, 'source', SOURCES, path, issues);
  return issues;
}

function validateResult(result: JsonObject, names: RequestNames, path: FieldPath): FieldIssue[] {
  const share = fieldAt(result, 'shareID');
  return [
    ...validateRequestReference(textAt(result, 'request'), names, path.child('request')),
    ...validateDriverName(textAt(result, 'driver'), path.child('driver')),
    ...validatePoolName(textAt(result, 'pool'), path.child('pool')),
    ...validateLabel(textAt(result, 'device'), path.child('device')),
    ...validateBindingConditions(result, path),
    ...(typeof share === 'string' ? validateUid(share, path.child('shareID')) : []),
  ];
}

// ── Device status ────────────────────────────────────────────────────────────────────────────────────────────────────

function validateDeviceStatus(device: JsonObject, allocated: ReadonlySet<string>, path: FieldPath): FieldIssue[] {
  const issues = [
    ...validateDriverName(textAt(device, 'driver'), path.child('driver')),
    ...validatePoolName(textAt(device, 'pool'), path.child('pool')),
    ...validateLabel(textAt(device, 'device'), path.child('device')),
  ];
  const share = fieldAt(device, 'shareID');
  if (typeof share === 'string') issues.push(...validateUid(share, path.child('shareID')));
  if (!allocated.has(deviceId(device)))
    issues.push(declared(invalid(path, shownId(device), 'must be an allocated device in the claim')));
  const conditions = objectsAt(device, 'conditions');
  if (conditions.length > MAX_DEVICE_CONDITIONS)
    issues.push(tooMany(path.child('conditions'), conditions.length, MAX_DEVICE_CONDITIONS));
  addIssues(issues, validateConditions(conditions, path.child('conditions')));
  const data = fieldAt(device, 'data');
  if (data !== undefined) addIssues(issues, validateRawObject(data, MAX_DATA_BYTES, path.child('data')));
  const network = objectAt(device, 'networkData');
  if (network !== undefined) addIssues(issues, validateNetworkData(network, path.child('networkData')));
  return issues;
}

function validateNetworkData(network: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (isLongerThan(textAt(network, 'interfaceName'), MAX_INTERFACE_NAME))
    issues.push(tooLong(path.child('interfaceName'), undefined, MAX_INTERFACE_NAME));
  if (isLongerThan(textAt(network, 'hardwareAddress'), MAX_HARDWARE_ADDRESS))
    issues.push(tooLong(path.child('hardwareAddress'), undefined, MAX_HARDWARE_ADDRESS));
  addIssues(
    issues,
    validateSet(textsAt(network, 'ips'), MAX_IPS, path.child('ips'), validateInterfaceAddress, (ip) => ip),
  );
  return issues;
}
