import { describe, expect, it } from 'vitest';
import {
  type Failure,
  isExpired,
  isResourceVersionTooLarge,
  isTooManyRequests,
  statusFailure,
} from './watch-failure.ts';

const transport: Failure = { kind: 'transport', message: 'reset' };

describe('a failure made from a Status', () => {
  it('takes code, reason, message, causes and the pause the server asks for', () => {
    const status = {
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'slow down',
      details: { retryAfterSeconds: 7, causes: [{ reason: 'a', message: 'b', field: 'c' }, 5] },
    };
    expect(statusFailure(status)).toEqual({
      kind: 'status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'slow down',
      causes: [
        { reason: 'a', message: 'b' },
        { reason: '', message: '' },
      ],
      retryAfterSeconds: 7,
    });
  });

  it('takes fields that the Status lacks from the HTTP response', () => {
    const bare = statusFailure('gateway says no', { code: 503, retryAfterSeconds: 2 });
    expect(bare).toMatchObject({ code: 503, reason: '', retryAfterSeconds: 2, causes: [] });
    expect(statusFailure({ code: -1, details: { retryAfterSeconds: 'soon' } })).toMatchObject({
      code: 0,
      retryAfterSeconds: 0,
    });
  });

  it('keeps no more than a hundred causes', () => {
    expect(statusFailure({ details: { causes: new Array(1000).fill({}) } }).causes).toHaveLength(100);
  });
});

describe('classifying a failure', () => {
  it('knows an expired revision by its reason, and by its code only without one', () => {
    expect(isExpired(statusFailure({ reason: 'Expired' }))).toBe(true);
    expect(isExpired(statusFailure({ reason: 'Gone' }))).toBe(true);
    expect(isExpired(statusFailure({ code: 410 }))).toBe(true);
    expect(isExpired(statusFailure({ code: 410, reason: 'Odd' }))).toBe(true);
    expect(isExpired(statusFailure({ code: 410, reason: 'NotFound' }))).toBe(false);
    expect(isExpired(statusFailure({ code: 500 }))).toBe(false);
    expect(isExpired(transport)).toBe(false);
  });

  it('knows a revision that is too large by its cause, and by the words of old servers', () => {
    const words = 'Too large resource version';
    expect(
      isResourceVersionTooLarge(statusFailure({ details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } })),
    ).toBe(true);
    expect(isResourceVersionTooLarge(statusFailure({ reason: 'Timeout', message: `${words}: 5` }))).toBe(true);
    expect(isResourceVersionTooLarge(statusFailure({ code: 504, details: { causes: [{ message: words }] } }))).toBe(
      true,
    );
    expect(isResourceVersionTooLarge(statusFailure({ reason: 'Invalid', message: words }))).toBe(false);
    expect(isResourceVersionTooLarge(statusFailure({ reason: 'Timeout' }))).toBe(false);
    expect(isResourceVersionTooLarge(transport)).toBe(false);
  });

  it('knows too many requests by reason or code', () => {
    expect(isTooManyRequests(statusFailure({ reason: 'TooManyRequests' }))).toBe(true);
    expect(isTooManyRequests(statusFailure({ code: 429, reason: 'Forbidden' }))).toBe(true);
    expect(isTooManyRequests(statusFailure({ code: 503 }))).toBe(false);
    expect(isTooManyRequests(transport)).toBe(false);
  });
});
