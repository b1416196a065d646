import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { texts } from '../../shared/issues.fixtures.ts';
import { validateLeaseCandidate } from './lease-candidate.ts';

describe('validateLeaseCandidate', () => {
  const spec = {
    leaseName: 'l',
    binaryVersion: '1.30.0',
    emulationVersion: '1.30.0',
    strategy: 'OldestEmulationVersion',
  };

  it.each<[string, JsonObject, string[]]>([
    ['accepts a valid candidate', {}, []],
    [
      'rejects a binaryVersion below the emulationVersion',
      { binaryVersion: '1.30.0-alpha.1' },
      ['spec.binaryVersion: Invalid value: "1.30.0-alpha.1": must be greater than or equal to `emulationVersion`'],
    ],
    [
      'rejects a malformed emulationVersion',
      { emulationVersion: 'x' },
      [
        'spec.emulationVersion: Invalid value: "x": must be a valid semantic version',
        "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
      ],
    ],
    [
      'rejects an unknown strategy',
      { strategy: 'Foo' },
      ['spec.strategy.strategy: Unsupported value: "Foo": supported values: "OldestEmulationVersion"'],
    ],
  ])('%s', (_name, change, expected) => {
    const object = { metadata: { name: 'c', namespace: 'n' }, spec: { ...spec, ...change } };
    expect(texts(validateLeaseCandidate(object))).toEqual(expected);
  });
});
