/** Kinds with few rules: classes, APIServices, candidates, storage versions. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { texts } from '../shared/issues.fixtures.ts';
import { validateApiService } from './apiregistration/api-service.ts';
import { validateStorageVersion, validateStorageVersionStatus } from './apiserverinternal/storage-version.ts';
import { validateLeaseCandidate } from './coordination/lease-candidate.ts';
import { runtimeClassWarnings, validateRuntimeClass } from './node/runtime-class.ts';
import { validatePriorityClass, validatePriorityClassUpdate } from './scheduling/priority-class.ts';
import {
  validateStorageVersionMigration,
  validateStorageVersionMigrationStatusUpdate,
} from './storagemigration/storage-version-migration.ts';

describe('a priority class', () => {
  const reserved = "priority class names with 'system-' prefix are reserved for system use only. error: ";

  it.each<[string, JsonObject, string[]]>([
    ['x', { value: -5 }, []],
    [
      'x',
      { value: 1_000_000_001 },
      ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ],
    [
      'system-foo',
      { value: 1 },
      [`metadata.name: Forbidden: ${reserved}system-foo is not a known system priority class`],
    ],
    [
      'system-node-critical',
      { value: 1 },
      [`metadata.name: Forbidden: ${reserved}value of system-node-critical PriorityClass must be 2000001000`],
    ],
    [
      'system-cluster-critical',
      { value: 2_000_000_000, globalDefault: true },
      [`metadata.name: Forbidden: ${reserved}globalDefault of system-cluster-critical PriorityClass must be false`],
    ],
    [
      'x',
      { value: 1, preemptionPolicy: 'X' },
      ['preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"'],
    ],
    ['x', { value: 1, preemptionPolicy: '' }, ['preemptionPolicy: Required value']],
  ])('%s %j', (name, object, expected) => {
    expect(texts(validatePriorityClass({ metadata: { name }, ...object }))).toEqual(expected);
  });

  it('keeps its value', () => {
    const class1 = { metadata: { name: 'x', resourceVersion: '1' }, value: 1, preemptionPolicy: 'Never' };
    const changed = { ...class1, value: 2, preemptionPolicy: 'PreemptLowerPriority' };
    expect(texts(validatePriorityClassUpdate(changed, class1))).toEqual([
      'preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable',
      'value: Forbidden: may not be changed in an update.',
    ]);
  });
});

describe('a runtime class', () => {
  it('has a handler, an overhead and tolerations that can be used', () => {
    const tolerations = [
      { key: 'a', operator: 'Exists' },
      { key: 'a', operator: 'Exists' },
    ];
    const object = { metadata: { name: 'x' }, overhead: { podFixed: { cpu: '-1' } }, scheduling: { tolerations } };
    expect(texts(validateRuntimeClass(object))).toEqual([
      'handler: Required value',
      'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ]);
  });

  it('warns of labels with other names', () => {
    expect(runtimeClassWarnings({ scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } })).toEqual([
      'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });
});

describe('an APIService', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'v1.x.io',
      {
        group: 'x.io',
        version: 'v1',
        groupPriorityMinimum: 20_001,
        versionPriority: 1_001,
        caBundle: 'AAAA',
        insecureSkipTLSVerify: true,
      },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
        'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      ],
    ],
    [
      'v1.y.io',
      {
        group: 'x.io',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { port: 70_000 },
        caBundle: 'AAAA',
        insecureSkipTLSVerify: true,
      },
      [
        'metadata.name: Invalid value: "v1.y.io": must be `spec.version+"."+spec.group`: "v1.x.io"',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
        'spec.service.name: Required value',
        'spec.service.namespace: Required value',
        'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      ],
    ],
  ])('%s', (name, spec, expected) => {
    expect(texts(validateApiService({ metadata: { name }, spec }))).toEqual(expected);
  });
});

describe('a lease candidate', () => {
  const spec = {
    leaseName: 'l',
    binaryVersion: '1.30.0',
    emulationVersion: '1.30.0',
    strategy: 'OldestEmulationVersion',
  };

  it.each<[string, JsonObject, string[]]>([
    ['as it should be', {}, []],
    [
      'before its release',
      { binaryVersion: '1.30.0-alpha.1' },
      ['spec.binaryVersion: Invalid value: "1.30.0-alpha.1": must be greater than or equal to `emulationVersion`'],
    ],
    [
      'without a number',
      { emulationVersion: 'x' },
      [
        'spec.emulationVersion: Invalid value: "x": must be a valid semantic version',
        "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
      ],
    ],
    [
      'with a strategy that nobody has',
      { strategy: 'Foo' },
      ['spec.strategy.strategy: Unsupported value: "Foo": supported values: "OldestEmulationVersion"'],
    ],
  ])('%s', (_name, change, expected) => {
    const object = { metadata: { name: 'c', namespace: 'n' }, spec: { ...spec, ...change } };
    expect(texts(validateLeaseCandidate(object))).toEqual(expected);
  });
});

describe('a storage version', () => {
  it('is named after a group and a resource', () => {
    expect(validateStorageVersion({ metadata: { name: 'g.example.rs' } })).toEqual([]);
    expect(texts(validateStorageVersion({ metadata: { name: 'nodot' } }))).toEqual([
      'metadata.name: Invalid value: "nodot": name must be in the form of <group>.<resource>',
    ]);
  });

  it('says what all servers write, if they agree', () => {
    const server = (apiServerID: string, encodingVersion: string): JsonObject => ({
      apiServerID,
      encodingVersion,
      decodableVersions: [encodingVersion],
    });
    const status = { storageVersions: [server('a', 'v1'), server('b', 'v2')], commonEncodingVersion: 'v1' };
    expect(texts(validateStorageVersionStatus({ status }))).toEqual([
      'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
    ]);
    expect(texts(validateStorageVersionStatus({ status: { storageVersions: [server('a', 'v1')] } }))).toEqual([
      'status.commonEncodingVersion: Invalid value: null: the common encoding version is v1',
    ]);
  });
});

describe('a migration of storage versions', () => {
  const metadata = { name: 'm', resourceVersion: '1' };

  it('names a resource', () => {
    expect(texts(validateStorageVersionMigration({ metadata, spec: { resource: {} } }))).toEqual([
      'spec.resource.resource: Required value: resource is required to be set',
    ]);
  });

  it('ends once', () => {
    const ended = (type: string): JsonObject => ({
      metadata,
      status: {
        resourceVersion: '12',
        conditions: [{ type, status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    });
    const issues = validateStorageVersionMigrationStatusUpdate(ended('Failed'), ended('Succeeded'));
    expect(issues.map(({ detail }) => detail)).toEqual(['Success condition cannot be set to false once it is true']);
  });
});
