import { describe, expect, it } from 'vitest';
import { BugError } from '../../base/errors.ts';
import * as status from './status.ts';
import { StatusError } from './status.ts';
import * as catalogue from './status-catalogue.ts';

const pods = { group: '', resource: 'pods' };

describe('StatusError', () => {
  it('holds the Status and its message, and captures no stack', () => {
    const error = new StatusError(catalogue.notFound(pods, 'a'));
    expect(error.message).toBe('pods "a" not found');
    expect(error.status.code).toBe(404);
    expect(error.name).toBe('StatusError');
    expect(error.stack ?? '').not.toContain('\n');
  });

  it('captures the stack of a 500, which is a fault of the server', () => {
    expect(new StatusError(catalogue.internalError('x')).stack).toContain('status.test.ts');
  });

  it('leaves the stacks of other errors alone', () => {
    new StatusError(catalogue.badRequest('x'));
    expect(new Error('x').stack).toContain('\n');
  });

  it('says whether the same call may succeed later', () => {
    const retryable = (made: status.Status): boolean => new StatusError(made).retryable;
    expect(retryable(catalogue.serverTimeout(pods, 'get', 0))).toBe(true);
    expect(retryable(catalogue.serviceUnavailable('x'))).toBe(true);
    expect(retryable(catalogue.generateNameConflict(pods, 'a', 1))).toBe(true);
    expect(retryable(catalogue.conflict(pods, 'a'))).toBe(false);
    expect(retryable(catalogue.internalError('x'))).toBe(false);
  });

  it('is known by its brand, so that another copy of the package is understood', () => {
    const foreign = { keelsonError: 'StatusError', status: catalogue.notFound(pods, 'a') };
    expect(status.isStatusError(foreign)).toBe(true);
    expect(status.isNotFound(foreign)).toBe(true);
    expect(status.isStatusError(new BugError('x'))).toBe(false);
  });
});

describe('guards', () => {
  const guards: readonly [(error: unknown) => boolean, status.Status][] = [
    [status.isUnauthorized, catalogue.unauthorized('')],
    [status.isForbidden, catalogue.forbidden(pods, 'a', 'no')],
    [status.isNotFound, catalogue.notFound(pods, 'a')],
    [status.isAlreadyExists, catalogue.alreadyExists(pods, 'a')],
    [status.isConflict, catalogue.conflict(pods, 'a')],
    [status.isGone, { ...catalogue.expired('x'), reason: 'Gone' }],
    [status.isExpired, catalogue.expired('x')],
    [status.isInvalid, catalogue.invalid({ group: '', kind: 'Pod' }, 'a', [])],
    [status.isServerTimeout, catalogue.serverTimeout(pods, 'get', 1)],
    [status.isStoreReadError, { ...catalogue.internalError('x'), reason: 'StorageReadError' }],
    [status.isTimeout, catalogue.timeout('x', 1)],
    [status.isTooManyRequests, catalogue.tooManyRequests('x', 1)],
    [status.isBadRequest, catalogue.badRequest('x')],
    [status.isMethodNotAllowed, catalogue.methodNotAllowed(pods, 'patch')],
    [status.isNotAcceptable, catalogue.notAcceptable([])],
    [status.isRequestEntityTooLarge, catalogue.requestEntityTooLarge('x')],
    [status.isUnsupportedMediaType, catalogue.unsupportedMediaType([])],
    [status.isInternalError, catalogue.internalError('x')],
    [status.isServiceUnavailable, catalogue.serviceUnavailable('x')],
  ];

  it.each(guards.map((pair, i) => [i, ...pair] as const))(
    'guard %# accepts its own reason and no other',
    (i, guard) => {
      const accepted = guards.filter(([, made]) => guard(new StatusError(made))).map(([, made]) => made);
      expect(accepted).toEqual([guards[i]?.[1]]);
    },
  );

  it('fall back on the code when the reason is unknown, never when it is known', () => {
    const of = (code: number, reason?: string): StatusError =>
      new StatusError({ ...catalogue.badRequest('x'), code, reason: reason ?? '' });
    expect(status.isNotFound(of(404))).toBe(true);
    expect(status.isNotFound(of(404, 'Weird'))).toBe(true);
    expect(status.isNotFound(of(404, 'Conflict'))).toBe(false);
    expect(status.isConflict(of(409, 'AlreadyExists'))).toBe(false);
    expect(status.isAlreadyExists(of(409))).toBe(false);
    expect(status.isExpired(of(410))).toBe(false);
    expect(status.isTooManyRequests(of(429, 'Conflict'))).toBe(true);
    expect(status.isRequestEntityTooLarge(of(413, 'Conflict'))).toBe(true);
  });

  it('look through causes, and stop at a chain that is too long', () => {
    let error: Error = new StatusError(catalogue.notFound(pods, 'a'));
    error = new Error('while reading', { cause: error });
    expect(status.isNotFound(error)).toBe(true);
    for (let i = 0; i < 10; i++) error = new Error('again', { cause: error });
    expect(status.isNotFound(error)).toBe(false);
  });

  it('are false for any value that is not an error of this package', () => {
    for (const value of [undefined, null, 'NotFound', {}, new Error('x')]) {
      expect(guards.some(([guard]) => guard(value))).toBe(false);
    }
  });

  it('find causes by their type', () => {
    const tooLarge = new StatusError(catalogue.resourceVersionTooLarge(9, 5, 1));
    expect(status.isResourceVersionTooLarge(tooLarge)).toBe(true);
    expect(status.isResourceVersionTooLarge(new StatusError(catalogue.timeout('x', 1)))).toBe(false);
    const strange = new StatusError(
      catalogue.genericServerResponse({ code: 502, verb: 'GET', serverMessage: '<html>', unexpected: true }),
    );
    expect(status.isUnexpectedServerResponse(strange)).toBe(true);
    expect(status.statusCause(strange, 'UnexpectedServerResponse')?.message).toBe('<html>');
  });

  it('report the delay that the server asks for', () => {
    const delay = (made: status.Status): number | undefined => status.suggestedDelaySeconds(new StatusError(made));
    expect(delay(catalogue.tooManyRequests('x', 3))).toBe(3);
    expect(delay(catalogue.serverTimeout(pods, 'get', 0))).toBe(0);
    expect(delay(catalogue.tooManyRequests('x', 0))).toBeUndefined();
    expect(delay(catalogue.badRequest('x'))).toBeUndefined();
    expect(status.suggestedDelaySeconds(undefined)).toBeUndefined();
  });
});
