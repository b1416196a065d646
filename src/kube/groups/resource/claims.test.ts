import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { validateDeviceClass } from './device-class.ts';
import {
  claimTable,
  setClaimDefaults,
  setV1beta1ClaimDefaults,
  validateClaim,
  validateClaimUpdate,
} from './resource-claim/resource-claim.ts';
import { prepareClaimStatusForUpdate, validateClaimStatusUpdate } from './resource-claim/validate-claim-status.ts';
import { validateClaimTemplate, validateClaimTemplateUpdate } from './resource-claim-template.ts';
import { convertClaim, convertSlice } from './v1beta1-conversion.ts';

const metadata = { name: 'c', namespace: 'n', resourceVersion: '1' };

function claimOf(devices: JsonObject): JsonObject {
  const claim: JsonObject = { metadata: { ...metadata }, spec: { devices } };
  setClaimDefaults(claim);
  return claim;
}

const request = (changes: JsonObject = {}): JsonObject => ({
  name: 'r',
  exactly: { deviceClassName: 'gpu' },
  ...changes,
});
const complaints = (devices: JsonObject) => validateClaim(claimOf(devices)).map(formatIssue);

describe('a ResourceClaim', () => {
  test('requests exactly one device of a class by default', () => {
    const claim = claimOf({
      requests: [request({ exactly: { deviceClassName: 'gpu', tolerations: [{ key: 'k', value: 'v' }] } })],
    });
    const exactly = {
      deviceClassName: 'gpu',
      allocationMode: 'ExactCount',
      count: 1,
      tolerations: [{ key: 'k', operator: 'Equal', value: 'v' }],
    };
    expect(claim['spec']).toEqual({ devices: { requests: [{ name: 'r', exactly }] } });
    expect(validateClaim(claim)).toEqual([]);
  });

  test('has exactly one of `exactly` and `firstAvailable` in each request', () => {
    expect(
      complaints({
        requests: [
          { name: 'none' },
          { name: 'both', exactly: { deviceClassName: 'x' }, firstAvailable: [{ name: 's', deviceClassName: 'x' }] },
          { name: 'all', exactly: { deviceClassName: '', allocationMode: 'All', count: 2 } },
          { name: 'all', exactly: { deviceClassName: 'x', allocationMode: 'Some' } },
        ],
      }),
    ).toEqual([
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
      'spec.devices.requests[2].exactly.deviceClassName: Required value',
      "spec.devices.requests[2].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
      'spec.devices.requests[3].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
      'spec.devices.requests[3]: Duplicate value: "all"',
    ]);
    expect(complaints({ requests: Array.from({ length: 33 }, (_, i) => request({ name: `r${i}` })) })).toEqual([
      'spec.devices.requests: Too many: 33: must have at most 32 items',
    ]);
  });

  test('must name its own requests in constraints and configurations', () => {
    const devices = {
      requests: [request(), { name: 'f', firstAvailable: [{ name: 's', deviceClassName: 'x' }] }],
      constraints: [{ requests: ['r', 'f/s', 'f/t'], matchAttribute: 'model' }, {}],
      config: [{ requests: ['a/b/c'], opaque: { driver: 'd', parameters: [1] } }],
    };
    const unknown =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    expect(complaints(devices)).toEqual([
      `spec.devices.constraints[0].requests[2]: Invalid value: "f/t": ${unknown}`,
      'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      `spec.devices.config[0].requests[0]: Invalid value: "a/b/c": ${unknown}`,
      'spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ]);
  });

  test('validates tolerations', () => {
    const tolerations = [{ key: 'k', operator: 'Exists', value: 'x', effect: 'Foo' }, { operator: 'X' }];
    expect(complaints({ requests: [request({ exactly: { deviceClassName: 'x', tolerations } })] })).toEqual([
      'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "x": must be empty for operator `Exists`',
      'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Foo": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices.requests[0].exactly.tolerations[1].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
    ]);
  });

  test('has an immutable spec', () => {
    const old = claimOf({ requests: [request()] });
    expect(validateClaimUpdate(old, old)).toEqual([]);
    expect(validateClaimUpdate(claimOf({}), old).map(formatIssue)).toEqual([
      'spec: Invalid value: {"Devices":{"Requests":null,"Constraints":null,"Config":null}}: field is immutable',
    ]);
  });

  test('shows its state in the table', () => {
    const state = (claim: JsonObject) => claimTable().cells(claim, 0)[1];
    expect(state({ metadata })).toBe('pending');
    expect(state({ metadata, status: { allocation: {}, reservedFor: [{ name: 'x' }] } })).toBe('allocated,reserved');
    expect(state({ metadata: { ...metadata, deletionTimestamp: '2020-01-01T00:00:00Z' } })).toBe('deleted');
  });
});

describe('the status of a ResourceClaim', () => {
  const result = { request: 'r', driver: 'd.io', pool: 'p', device: 'dev' };
  const allocation = { devices: { results: [result] } };
  const withStatus = (status: JsonObject): JsonObject => ({ ...claimOf({ requests: [request()] }), status });
  const update = (next: JsonObject, old: JsonObject = {}) =>
    validateClaimStatusUpdate(withStatus(next), withStatus(old)).map(formatIssue);

  test('has reservations only with an allocation', () => {
    const reservedFor = [{ resource: 'pods', name: 'x', uid: '1' }];
    expect(update({ reservedFor })).toEqual([
      'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
    ]);
    expect(update({ reservedFor, allocation }, { allocation })).toEqual([]);
  });

  test('has an immutable allocation', () => {
    expect(update({ allocation })).toEqual([]);
    expect(update({}, { allocation })).toEqual([]);
    const other = { devices: { results: [{ ...result, device: 'other' }] } };
    expect(update({ allocation: other }, { allocation })[0]).toMatch(/^status\.allocation: .*: field is immutable$/);
  });

  test('has results for requests of the claim only', () => {
    const bad = { request: 'x', driver: '', pool: 'a//b', device: '_', shareID: 'ABC', bindingConditions: ['a'] };
    expect(
      update({ allocation: { devices: { results: [bad], config: [{ source: 'X' }] } } }).map(
        (text) => text.split(':')[0],
      ),
    ).toEqual([
      'status.allocation.devices.results[0].request',
      'status.allocation.devices.results[0].driver',
      'status.allocation.devices.results[0].pool',
      'status.allocation.devices.results[0].device',
      'status.allocation.devices.results[0].bindingFailureConditions',
      'status.allocation.devices.results[0].shareID',
      'status.allocation.devices.config[0].source',
      'status.allocation.devices.config[0].opaque',
    ]);
  });

  test('has the status of each allocated device at most once', () => {
    const device = { driver: 'd.io', pool: 'p', device: 'dev' };
    const devices = [
      device,
      device,
      { ...device, device: 'nope' },
      { ...device, networkData: { ips: ['01.2.3.4/24'] } },
    ];
    expect(update({ allocation, devices }, { allocation })).toEqual([
      'status.devices[2]: Invalid value: {"Driver":"d.io","Pool":"p","Device":"nope","ShareID":""}: must be an allocated device in the claim',
      'status.devices[3].networkData.ips[0]: Invalid value: "01.2.3.4/24": must be in canonical form ("1.2.3.4/24")',
      'status.devices[1]: Duplicate value: {"Driver":"d.io","Pool":"p","Device":"dev","ShareID":""}',
      'status.devices[3]: Duplicate value: {"Driver":"d.io","Pool":"p","Device":"dev","ShareID":""}',
    ]);
  });

  test('loses the status of deallocated devices', () => {
    const devices = [{ driver: 'd.io', pool: 'p', device: 'dev' }];
    const next = withStatus({ devices });
    prepareClaimStatusForUpdate(next, withStatus({ allocation, devices }));
    expect(next['status']).toEqual({});
  });
});

describe('a ResourceClaimTemplate', () => {
  const template = (spec: JsonObject): JsonObject => ({ metadata, spec });

  test('accepts only labels and annotations in the metadata of its template', () => {
    const spec = { metadata: { name: 'x', uid: 'y', labels: { a: 'b' } }, spec: {} };
    expect(validateClaimTemplate(template(spec)).map(formatIssue)).toEqual([
      'spec.metadata.name: Forbidden: cannot be set',
      'spec.metadata.uID: Forbidden: cannot be set',
    ]);
  });

  test('has an immutable spec', () => {
    const old = template({ metadata: {}, spec: {} });
    expect(
      validateClaimTemplateUpdate(template({ metadata: { labels: { a: 'b' } }, spec: {} }), old).map(formatIssue),
    ).toEqual([
      'spec: Invalid value: {"labels":{"a":"b"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}: field is immutable',
    ]);
  });
});

describe('the selectors of a DeviceClass', () => {
  const verdict = (expression: string): string => {
    const [issue] = validateDeviceClass({ metadata: { name: 'c' }, spec: { selectors: [{ cel: { expression } }] } });
    return issue === undefined
      ? 'ok'
      : (formatIssue(issue).split('\n')[0] ?? '').replace(/^.*?": |^.*?expression: /, '');
  };

  test.each([
    ['device.driver == "x" && device.allowMultipleAllocations', 'ok'],
    ['device.attributes["d.io"].fast', 'ok'],
    ['device.capacity["d.io"].memory.compareTo(quantity("1Gi")) >= 0', 'ok'],
    ['cel.bind(d, device.attributes["d.io"], d.a == 1 && d.b)', 'ok'],
    ['semver("1.0.0").isLessThan(device.attributes["x"].v)', 'ok'],
    ['1', 'must evaluate to bool or the unknown type, not int'],
    ['dyn(true)', 'must evaluate to bool or the unknown type, not dyn'],
    ['device.name', "compilation failed: ERROR: <input>:1:7: undefined field 'name'"],
    ['int("x") == 1', "Internal error: program instantiation failed: type conversion error from 'string' to 'int'"],
    [
      'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b))))',
      'Forbidden: too complex, exceeds cost limit',
    ],
    ['a'.repeat(10_241), 'Too long: may not be more than 10240 bytes'],
  ])('%s', (expression, expected) => {
    expect(verdict(expression)).toBe(expected);
  });
});

describe('v1beta1', () => {
  test('converts the fields of a request to an exact request', () => {
    const beta: JsonObject = {
      apiVersion: 'resource.k8s.io/v1beta1',
      kind: 'ResourceClaim',
      spec: {
        devices: {
          requests: [
            { name: 'a', deviceClassName: 'gpu', adminAccess: true },
            { name: 'b', deviceClassName: '', firstAvailable: [{ name: 's', deviceClassName: 'x' }] },
          ],
        },
      },
    };
    setV1beta1ClaimDefaults(beta);
    const stable = convertClaim(beta, 'v1beta1', 'v1');
    expect(stable).toEqual({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      spec: {
        devices: {
          requests: [
            {
              name: 'a',
              exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, adminAccess: true },
            },
            {
              name: 'b',
              firstAvailable: [{ name: 's', deviceClassName: 'x', allocationMode: 'ExactCount', count: 1 }],
            },
          ],
        },
      },
    });
    expect(convertClaim(stable, 'v1', 'v1beta1')).toEqual(beta);
    expect(convertClaim(stable, 'v1', 'v1beta2')).toEqual({ ...stable, apiVersion: 'resource.k8s.io/v1beta2' });
  });

  test('sets no default in a request without a class', () => {
    const devices = {
      requests: [
        { name: 'a', deviceClassName: '', count: 3 },
        { name: 'b', deviceClassName: '' },
      ],
    };
    const beta: JsonObject = { metadata, spec: { devices } };
    setV1beta1ClaimDefaults(beta);
    const stable = convertClaim(beta, 'v1beta1', 'v1');
    setClaimDefaults(stable);
    expect(validateClaim(stable).map(formatIssue)).toEqual([
      'spec.devices.requests[0].exactly.deviceClassName: Required value',
      'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "": supported values: "All", "ExactCount"',
      'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
    ]);
  });

  test('converts the fields of a device to `basic`', () => {
    const stable = {
      apiVersion: 'resource.k8s.io/v1',
      spec: { nodeName: 'n', devices: [{ name: 'a', attributes: { x: { int: 1 } } }, { name: 'b' }] },
    };
    const beta = convertSlice(stable, 'v1', 'v1beta1');
    expect(beta['spec']).toEqual({
      nodeName: 'n',
      devices: [
        { name: 'a', basic: { attributes: { x: { int: 1 } } } },
        { name: 'b', basic: {} },
      ],
    });
    expect(convertSlice(beta, 'v1beta1', 'v1')).toEqual(stable);
    const everywhere = { spec: { nodeName: '', allNodes: false } };
    expect(convertSlice(everywhere, 'v1beta1', 'v1')['spec']).toEqual({});
  });
});
