import { describe, expect, it } from 'vitest';
import { after as afterSpan, checkResult, done, failed, formatResult, terminal, toMilliseconds } from './result.ts';

describe('a time span', () => {
  it.each([
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    [0, 0],
    [12, 12],
  ] as const)('%s is %d ms', (span, ms) => {
    expect(toMilliseconds(span)).toBe(ms);
  });

  it('is refused if it is negative, not finite or malformed', () => {
    expect(() => afterSpan(-1)).toThrow('-1 is not a time span: use milliseconds of at least 0');
    expect(() => afterSpan(Number.NaN)).toThrow('NaN is not a time span');
    expect(() => afterSpan('soon' as '1s')).toThrow(`"soon" is not a time span: use a form such as '30s' or '5m'`);
    expect(() => afterSpan('-5s')).toThrow('is not a time span');
  });
});

describe('the result of a reconcile function', () => {
  it('passes if it is one of the union, or nothing', () => {
    expect(checkResult(undefined)).toBe(done);
    expect(checkResult(null)).toBe(done);
    expect(checkResult(afterSpan('1m30s' as '30s'))).toEqual({ result: 'after', delayMs: 90_000 });
    expect(formatResult(afterSpan(90_000))).toBe('after 1m30s');
    expect(checkResult(failed('no'))).toMatchObject({ result: 'failed', error: { message: 'no' } });
    expect(checkResult(terminal(new TypeError('never')))).toMatchObject({
      result: 'terminal',
      error: { name: 'TypeError' },
    });
  });

  it.each([
    [{ requeue: true }, '{"requeue":true}'],
    [5, '5'],
    ['done', 'done'],
    [{ result: 'after', delayMs: Number.NaN }, '{"result":"after","delayMs":null}'],
    [{ result: 'later' }, '{"result":"later"}'],
  ])('is a failure if it is %o', (value, shown) => {
    const result = checkResult(value);
    expect(result).toMatchObject({ result: 'failed' });
    expect('error' in result && result.error.message).toBe(
      `the reconcile function returned ${shown}: return done, after(...), failed(...), terminal(...) or nothing`,
    );
  });
});
