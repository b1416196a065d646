import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import { validatePriorityClass, validatePriorityClassUpdate } from './priority-class.ts';

describe('PriorityClass', () => {
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

  it('rejects a change of value and preemptionPolicy', () => {
    const class1 = { metadata: { name: 'x', resourceVersion: '1' }, value: 1, preemptionPolicy: 'Never' };
    const changed = { ...class1, value: 2, preemptionPolicy: 'PreemptLowerPriority' };
    expect(texts(validatePriorityClassUpdate(changed, class1))).toEqual([
      'preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable',
      'value: Forbidden: may not be changed in an update.',
    ]);
  });
});
