import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import {
  prepareTaintRuleForUpdate,
  setTaintRuleDefaults,
  taintRuleTable,
  validateTaintRule,
} from './device-taint-rule.ts';
import {
  poolStatusRequestTable,
  validatePoolStatusRequest,
  validatePoolStatusRequestUpdate,
  validatePoolStatusUpdate,
} from './resource-pool-status-request.ts';
import {
  prepareSliceForCreate,
  prepareSliceForUpdate,
  setSliceDefaults,
  sliceWarnings,
  validateSlice,
  validateSliceUpdate,
} from './resource-slice/resource-slice.ts';

const slice = (spec: JsonObject): JsonObject => ({
  metadata: { name: 's', resourceVersion: '1' },
  spec: { driver: 'd.io', pool: { name: 'p', generation: 0, resourceSliceCount: 1 }, nodeName: 'n', ...spec },
});
const complaints = (spec: JsonObject) => validateSlice(slice(spec)).map(formatIssue);
const ofDevice = (device: JsonObject, spec: JsonObject = {}) =>
  complaints({ devices: [{ name: 'a', ...device }], ...spec }).map((text) => text.replace('spec.devices[0]', 'device'));
const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) };

describe('a ResourceSlice', () => {
  test('needs exactly one node selection', () => {
    expect(complaints({})).toEqual([]);
    const places = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`';
    expect(complaints({ nodeName: '' })).toEqual([
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      `spec: Required value: exactly one of ${places} is required`,
    ]);
    expect(complaints({ allNodes: true, perDeviceNodeSelection: false })).toEqual([
      'spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true',
      `spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": exactly one of ${places} is required, but multiple fields are set`,
    ]);
  });

  test('has an immutable pool and driver', () => {
    expect(complaints({ pool: { name: 'a//b', generation: -1 } }).map((text) => text.split(':')[0])).toEqual([
      'spec.pool.name',
      'spec.pool.resourceSliceCount',
      'spec.pool.generation',
    ]);
    const next = slice({ driver: 'e.io', nodeName: 'm' });
    expect(validateSliceUpdate(next, slice({})).map(formatIssue)).toEqual([
      'spec.driver: Invalid value: "e.io": field is immutable',
      'spec.nodeName: Invalid value: "m": field is immutable',
    ]);
  });

  test('has a limited number of devices', () => {
    const devices = (count: number, more: JsonObject = {}) =>
      Array.from({ length: count }, (_, i) => ({ name: `d${i}`, ...more }));
    expect(complaints({ devices: devices(128) })).toEqual([]);
    expect(complaints({ devices: devices(129) })).toEqual(['spec.devices: Too many: 129: must have at most 128 items']);
    expect(complaints({ devices: devices(65, { taints: [{ key: 'k', effect: 'None' }] }) })).toEqual([
      'spec.devices: Too many: 65: must have at most 64 items',
    ]);
    expect(
      complaints({ devices: devices(1), sharedCounters: [{ name: 'c', counters: { a: { value: '1' } } }] }),
    ).toEqual(['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed']);
  });

  test('counts a generation for every change that is sent, and drops fields whose feature gate is off', () => {
    const sent = (): JsonObject => slice({ devices: [{ name: 'a', attributes: { x: { int: 1, ints: [1] } } }] });
    const made = sent();
    prepareSliceForCreate(made);
    expect(made['metadata']).toEqual({ name: 's', resourceVersion: '1', generation: 1 });
    expect(JSON.stringify(made)).not.toContain('ints');
    const again = sent();
    prepareSliceForUpdate(again, made);
    expect(again['metadata']).toEqual({ name: 's', resourceVersion: '1', generation: 2 });
    expect(again['spec']).toEqual(made['spec']);
    const kept = sent();
    prepareSliceForUpdate(kept, sent());
    expect(JSON.stringify(kept)).toContain('ints');
  });

  test('has a warning for a driver name with uppercase characters', () => {
    expect(sliceWarnings(slice({ driver: 'D.io' }))).toEqual([
      'spec.driver: driver names should be lowercase; "D.io" contains uppercase characters',
    ]);
  });
});

describe('a device', () => {
  test('has exactly one value in each attribute', () => {
    expect(
      ofDevice({
        attributes: {
          a: {},
          b: { int: 1, string: 'x' },
          'c d': { bool: true },
          v: { version: '1.x' },
          'e/': { int: 1 },
        },
      }),
    ).toEqual([
      'device.attributes[a]: Invalid value: "": exactly one value must be specified',
      'device.attributes[b]: Invalid value: {"IntValue":1,"BoolValue":null,"StringValue":"x","VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
      "device.attributes: Invalid value: \"c d\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      'device.attributes[v].version: Invalid value: "1.x": must be a string compatible with semver.org spec 2.0.0',
      'device.attributes: Invalid value: "": the name must not be empty',
    ]);
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: i }]));
    expect(ofDevice({ attributes: many })).toEqual([
      'device: Invalid value: 33: the total number of attributes and capacities must not exceed 32',
    ]);
  });

  test('may have request policies only if it allows multiple allocations', () => {
    const policy = (requestPolicy: JsonObject, allowMultipleAllocations = true) =>
      ofDevice({ allowMultipleAllocations, capacity: { m: { value: '10', requestPolicy } } }).map((text) =>
        text.replace('device.capacity[m].requestPolicy', ''),
      );
    expect(policy({ default: '1' }, false)).toEqual([': Forbidden: allowMultipleAllocations must be true']);
    expect(policy({ default: '2', validRange: { min: '1', max: '9', step: '1' } })).toEqual([]);
    expect(policy({ validValues: ['1'] })).toEqual(['.default: Required value: required when validValues is defined']);
    expect(policy({ default: '3', validValues: ['2', '1', '20', '2'] })).toEqual([
      '.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
      '.validValues[3]: Invalid value: "2": values must be sorted in ascending order',
      '.validValues[2]: Invalid value: "20": option is larger than capacity value: 10',
      '.validValues[3]: Duplicate value: "2"',
      '.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
    ]);
    expect(policy({ default: '1', validRange: { min: '2', max: '12', step: '3' } })).toEqual([
      '.validRange.min: Invalid value: "1": default is less than min: 2',
      '.validRange.max: Invalid value: "12": max is larger than capacity value: 10',
      '.validRange.step: Invalid value: "1": value is not a multiple of a given step (3) from (2)',
      '.validRange.step: Invalid value: "12": value is not a multiple of a given step (3) from (2)',
    ]);
  });

  test('has a node selection only with perDeviceNodeSelection', () => {
    expect(ofDevice({ nodeName: 'x' })).toEqual([
      'device: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ]);
    const each = { nodeName: null, perDeviceNodeSelection: true };
    expect(ofDevice({ allNodes: true }, each)).toEqual([]);
    expect(ofDevice({ nodeName: '' }, each)).toEqual([
      'device.nodeName: Invalid value: "": must not be empty',
      'device: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ]);
  });

  test('has binding conditions and binding failure conditions, or neither', () => {
    expect(ofDevice({ bindingConditions: ['a', 'a'], bindingFailureConditions: ['a'] })).toEqual([
      'device.bindingConditions[1]: Duplicate value: "a"',
      'device.bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
    ]);
    expect(ofDevice({ bindingConditions: ['a'] })).toEqual([
      'device.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
    ]);
  });

  test('consumes counters of named counter sets', () => {
    expect(ofDevice({ consumesCounters: [{ counterSet: '', counters: {} }] })).toEqual([
      'device.consumesCounters[0].counterSet: Required value',
      'device.consumesCounters[0].counters: Required value',
    ]);
  });

  test('defaults the time of a taint to the present time in whole seconds', () => {
    const object = slice({ devices: [{ name: 'a', taints: [{ key: 'k', effect: 'None' }] }] });
    setSliceDefaults(object, clock);
    expect(JSON.stringify(object)).toContain('"timeAdded":"2026-01-02T03:04:05Z"');
  });
});

describe('a DeviceTaintRule', () => {
  const rule = (taint: JsonObject): JsonObject => ({ metadata: { name: 'r' }, spec: { taint } });

  test('needs a known taint effect', () => {
    expect(validateTaintRule(rule({ key: 'k', effect: 'NoExecute' }))).toEqual([]);
    expect(
      validateTaintRule(rule({ key: 'a b', value: 'c d' })).map((issue) => formatIssue(issue).split(':')[0]),
    ).toEqual(['spec.taint.key', 'spec.taint.value', 'spec.taint.effect']);
  });

  test('gets the present time with a changed effect, unless the client sets a time', () => {
    const old = rule({ key: 'k', effect: 'None', timeAdded: '2020-01-01T00:00:00Z' });
    const next = rule({ key: 'k', effect: 'NoExecute', timeAdded: '2020-01-01T00:00:00Z' });
    prepareTaintRuleForUpdate(next, old, clock);
    expect(next['spec']).toEqual({ taint: { key: 'k', effect: 'NoExecute', timeAdded: '2026-01-02T03:04:05Z' } });
    const said = rule({ key: 'k', effect: 'NoExecute', timeAdded: '2021-01-01T00:00:00Z' });
    prepareTaintRuleForUpdate(said, old, clock);
    expect(said['spec']).toEqual({ taint: { key: 'k', effect: 'NoExecute', timeAdded: '2021-01-01T00:00:00Z' } });
  });

  test('shows its taint in the table', () => {
    const shown = rule({ key: 'k', effect: 'None' });
    setTaintRuleDefaults(shown, clock);
    expect(taintRuleTable().cells(shown, clock.now() + 5000)).toEqual(['r', 'k', '', 'None', '5s', '<unknown>']);
  });
});

describe('a ResourcePoolStatusRequest', () => {
  const question = (spec: JsonObject, status?: JsonObject): JsonObject => ({
    metadata: { name: 'q', resourceVersion: '1' },
    spec,
    ...(status === undefined ? {} : { status }),
  });

  test('has an immutable spec, and an immutable status once it is set', () => {
    expect(validatePoolStatusRequest(question({ driver: '', limit: 1001 })).map(formatIssue)).toEqual([
      'spec.driver: Required value',
      'spec.limit: Invalid value: 1001: must be less than or equal to 1000',
    ]);
    const asked = question({ driver: 'd.io', limit: 1 });
    expect(validatePoolStatusRequestUpdate(question({ driver: 'e.io', limit: 1 }), asked)).toHaveLength(1);
    const answered = question({ driver: 'd.io', limit: 1 }, { poolCount: 0 });
    expect(validatePoolStatusUpdate(answered, asked)).toEqual([]);
    expect(validatePoolStatusUpdate(question({ driver: 'd.io', limit: 1 }, { poolCount: 1 }), answered)).toHaveLength(
      1,
    );
  });

  test('shows the sums of its pools in the table', () => {
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }];
    const pools = [
      { totalDevices: 3, allocatedDevices: 1 },
      { totalDevices: 2, validationError: 'x' },
    ];
    const cells = (status?: JsonObject) =>
      poolStatusRequestTable().cells(question({ driver: 'd' }, status), clock.now());
    expect(cells()).toEqual(['q', 'd', '-', '-', '-', '-', '-', 0, 'Pending', '<none>']);
    expect(cells({ poolCount: 4, pools, conditions })).toEqual([
      'q',
      'd',
      '5',
      '0',
      '1',
      '0',
      '1',
      4,
      'Complete (2/4 pools)',
      '0s',
    ]);
  });
});
