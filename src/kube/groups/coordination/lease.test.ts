import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { leaseTable, prepareLeaseForCreate, prepareLeaseForUpdate, validateLease } from './lease.ts';

const metadata = { name: 'a', namespace: 'b' };
const complaints = (spec: JsonObject) => validateLease({ metadata, spec }).map(formatIssue);

describe('Lease', () => {
  test('needs a positive leaseDurationSeconds and non-negative leaseTransitions', () => {
    expect(complaints({ leaseDurationSeconds: 0, leaseTransitions: -1 })).toEqual([
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ]);
    expect(complaints({ leaseDurationSeconds: 1, leaseTransitions: 0 })).toEqual([]);
  });

  test('drops the fields of coordinated leader election unless they are stored', () => {
    const fields = () => ({ strategy: 'OldestEmulationVersion', preferredHolder: 'x' });
    const fresh: JsonObject = { spec: fields() };
    prepareLeaseForCreate(fresh);
    expect(fresh['spec']).toEqual({});
    const updated: JsonObject = { spec: fields() };
    prepareLeaseForUpdate(updated, { spec: { strategy: 'a/b' } });
    expect(updated['spec']).toEqual({ strategy: 'OldestEmulationVersion' });
  });

  test('needs a strategy that is known or has a domain', () => {
    expect(complaints({ strategy: 'OldestEmulationVersion', preferredHolder: 'x' })).toEqual([]);
    expect(complaints({ strategy: 'example.com/mine' })).toEqual([]);
    expect(complaints({ strategy: 'Foo' })).toEqual([
      'spec.strategy.strategy: Unsupported value: "Foo": supported values: "OldestEmulationVersion"',
    ]);
    expect(complaints({ preferredHolder: 'x' })).toEqual([
      'spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined',
    ]);
  });

  test('may have finalizers without a domain', () => {
    expect(validateLease({ metadata: { ...metadata, finalizers: ['foo'] } })).toEqual([]);
  });

  test('shows its holder in the table', () => {
    expect(leaseTable().cells({ metadata, spec: { holderIdentity: 'me' } }, 0)).toEqual(['a', 'me', '<unknown>']);
  });
});
