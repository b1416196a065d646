import { describe, expect, test } from 'vitest';
import { readConditions, readCrd } from '../crd.ts';
import { apiApprovalConformance } from './api-approval.ts';
import {
  isConditionTrue,
  isSameCondition,
  removeCondition,
  setCondition,
  type WantedCondition,
} from './crd-conditions.ts';
import { crd, crdVersion } from './definition.fixtures.ts';
import { nonStructuralCondition } from './non-structural.ts';
import { createSchemaChecks } from './validation/create-schema-checks.ts';

const YES: WantedCondition = { type: 'Established', status: 'True', reason: 'R', message: 'M' };

describe('conditions', () => {
  test('keep their transition time until the status changes', () => {
    const object = crd({ status: { conditions: null } });
    setCondition(object, YES, 't1');
    setCondition(object, { ...YES, reason: 'other' }, 't2');
    expect(readConditions(object)).toMatchObject([{ status: 'True', reason: 'other', lastTransitionTime: 't1' }]);
    setCondition(object, { ...YES, status: 'False' }, 't3');
    expect(readConditions(object)).toMatchObject([{ status: 'False', reason: 'R', lastTransitionTime: 't3' }]);
  });

  test('are found, compared and removed by type', () => {
    const object = crd();
    setCondition(object, YES, 't');
    setCondition(object, { ...YES, type: 'Terminating' }, 't');
    const [first] = readConditions(object);
    expect(isConditionTrue({ conditions: readConditions(object) }, 'Established')).toBe(true);
    expect(isSameCondition(YES, first)).toBe(true);
    expect(isSameCondition({ ...YES, message: 'x' }, first)).toBe(false);
    expect(isSameCondition(undefined, undefined)).toBe(true);
    removeCondition(object, 'Established');
    expect(readConditions(object).map(({ type }) => type)).toEqual(['Terminating']);
  });
});

describe('API approval', () => {
  const of = (group: string, value?: string) =>
    apiApprovalConformance({ group, annotations: value === undefined ? {} : { 'api-approved.kubernetes.io': value } });

  test('is not required in groups that are not protected', () => {
    expect(of('example.com')).toBeUndefined();
    expect(of('notk8s.io')).toBeUndefined();
  });

  test.each([
    [undefined, 'False', 'MissingAnnotation'],
    ['unapproved, test only', 'False', 'UnapprovedAnnotation'],
    ['https://github.com/kubernetes/kubernetes/pull/1', 'True', 'ApprovedAnnotation'],
    ['yes', 'False', 'InvalidAnnotation'],
    ['https://', 'False', 'InvalidAnnotation'],
  ])('of a protected group with %j is %s with reason %s', (value, status, reason) => {
    for (const group of ['k8s.io', 'a.k8s.io', 'b.kubernetes.io'])
      expect(of(group, value)).toMatchObject({ status, reason });
  });

  test('has a message that says what is missing', () => {
    expect(of('a.k8s.io')?.message).toBe(
      'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    );
  });
});

describe('the condition NonStructuralSchema', () => {
  const checks = createSchemaChecks();
  const of = (spec: object) => nonStructuralCondition(readCrd(crd({ spec })), checks);

  test('names the paths of the violations, and unknown fields that are preserved', () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { a: {} } } };
    expect(of({ preserveUnknownFields: true, versions: [crdVersion('v1', { schema })] })).toEqual({
      type: 'NonStructuralSchema',
      status: 'True',
      reason: 'Violations',
      message:
        '[spec.preserveUnknownFields: Invalid value: true: must be false, spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields]',
    });
  });

  test('is Unknown if a schema cannot be parsed', () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { a: { $ref: 'x' } } } };
    expect(of({ versions: [crdVersion('v1', { schema })] })).toMatchObject({
      status: 'Unknown',
      reason: 'StructuralError',
    });
  });

  test('is absent if all schemas are structural', () => {
    expect(of({})).toBeUndefined();
  });
});
