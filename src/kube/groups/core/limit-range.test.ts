import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import { setLimitRangeDefaults, validateLimitRange } from './limit-range.ts';

function limitRange(...limits: readonly JsonObject[]): JsonObject {
  const object: JsonObject = { metadata: { name: 'x', namespace: 'n' }, spec: { limits: [...limits] } };
  setLimitRangeDefaults(object);
  return object;
}

describe('a limit range', () => {
  it('fills in default limits and requests of containers', () => {
    const object = limitRange({
      type: 'Container',
      max: { cpu: '2' },
      min: { memory: '1Mi' },
      default: { memory: '3Mi' },
      maxLimitRequestRatio: { cpu: '1' },
    });
    const [limit] = (object['spec'] as { limits: JsonObject[] }).limits;
    expect(limit).toEqual({
      type: 'Container',
      max: { cpu: '2' },
      min: { memory: '1Mi' },
      default: { cpu: '2', memory: '3Mi' },
      defaultRequest: { cpu: '2', memory: '3Mi' },
      maxLimitRequestRatio: { cpu: '1' },
    });
    expect(validateLimitRange(object)).toEqual([]);
  });

  it.each<[string, JsonObject[], string[]]>([
    [
      'a minimum above the maximum',
      [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }],
      [
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
        'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      ],
    ],
    [
      'defaults of a pod',
      [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }],
      [
        "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
      ],
    ],
    [
      'types',
      [{ type: 'Nope' }, { type: 'a/b' }, { type: 'a/b' }],
      [
        'spec.limits[0].type: Invalid value: "Nope": must be a standard limit type or fully qualified',
        'spec.limits[2].type: Duplicate value: "a/b"',
      ],
    ],
    [
      'a claim without a size',
      [{ type: 'PersistentVolumeClaim' }],
      [
        'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    [
      'defaults and a ratio beyond the limits',
      [
        {
          type: 'Container',
          max: { cpu: '4' },
          min: { cpu: '2' },
          default: { cpu: '5' },
          defaultRequest: { cpu: '1' },
          maxLimitRequestRatio: { cpu: '3' },
        },
      ],
      [
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'spec.limits[0].default[cpu]: Invalid value: "4": default value 5 is greater than max value 4',
        'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
      ],
    ],
    [
      'a ratio below one',
      [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }],
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
    ],
    [
      'what cannot be overcommitted',
      [{ type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } }],
      [
        'spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
      ],
    ],
    [
      'what containers do not ask for',
      [{ type: 'Container', max: { pods: '1' } }],
      [
        'spec.limits[0].defaultRequest[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.limits[0].default[pods]: Invalid value: "pods": must be a standard resource for containers',
        'spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers',
      ],
    ],
  ])('rejects %s', (_name, limits, expected) => {
    expect(texts(validateLimitRange(limitRange(...limits)))).toEqual(expected);
  });
});
