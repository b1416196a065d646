import { describe, expect, it } from 'vitest';
import { texts } from '../../shared/issues.fixtures.ts';
import { runtimeClassWarnings, validateRuntimeClass } from './runtime-class.ts';

describe('RuntimeClass', () => {
  it('validates handler, overhead and tolerations', () => {
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

  it('warns about deprecated node labels', () => {
    expect(runtimeClassWarnings({ scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } })).toEqual([
      'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });
});
