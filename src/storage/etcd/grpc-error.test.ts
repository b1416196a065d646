import { describe, expect, it } from 'vitest';
import { GRPC, GrpcError } from '../../base/grpc.ts';
import { progressOf, toStorageError } from './grpc-error.ts';

function stored(code: number, message: string, isWrite: boolean): unknown {
  return toStorageError(new GrpcError(code, message, { progress: progressOf(code, message) }), { isWrite });
}

describe('errors of etcd', () => {
  it.each([
    [GRPC.resourceExhausted, 'etcdserver: mvcc: database space exceeded', 'NoSpace', true],
    [GRPC.invalidArgument, 'etcdserver: request is too large', 'InvalidArgument', false],
    [GRPC.unavailable, 'etcdserver: no leader', 'Unavailable', true],
    [GRPC.resourceExhausted, 'etcdserver: too many requests', 'Unavailable', true],
    [GRPC.unavailable, 'etcdserver: request timed out', 'Unknown', true],
    [GRPC.unavailable, 'etcdserver: leader changed', 'Unknown', true],
    [GRPC.dataLoss, 'etcdserver: corrupt cluster', 'Corrupt', false],
    [GRPC.permissionDenied, 'etcdserver: permission denied', 'ReadOnly', false],
  ])('a write that fails with %i %s is %s', (code, message, expected, retryable) => {
    expect(stored(code, message, true)).toMatchObject({ code: expected, retryable });
  });

  it('the outcome of a read is never unknown', () => {
    expect(stored(GRPC.unavailable, 'etcdserver: request timed out', false)).toMatchObject({ code: 'Unavailable' });
  });
});
