import { describe, expect, it } from 'vitest';
import {
  BugError,
  ConfigError,
  errorClass,
  isBugError,
  isConfigError,
  isKeelsonError,
  TransportError,
  toError,
} from './errors.ts';

describe('toError', () => {
  it('passes errors unchanged and makes a BugError of anything else, keeping the value', () => {
    const error = new TypeError('x');
    expect(toError(error)).toBe(error);
    const wrapped = toError('boom');
    expect(isBugError(wrapped)).toBe(true);
    expect(wrapped.message).toContain('"boom"');
    expect(wrapped.cause).toBe('boom');
  });

  it('survives values that cannot be printed', () => {
    const hostile = {
      toString: () => {
        throw new Error('no');
      },
    };
    expect(toError(hostile).message).toContain('[object Object]');
    expect(toError(Object.create(null)).message).toContain('[object Object]');
  });

  it('accepts an error of another copy of the package by its brand', () => {
    const foreign = { keelsonError: 'ConfigError', message: 'from elsewhere' };
    expect(isConfigError(foreign)).toBe(true);
    expect(toError(foreign)).toBe(foreign);
  });
});

describe('the classes', () => {
  it('state whether a retry makes sense', () => {
    expect(new TransportError('reset').retryable).toBe(true);
    expect(new TransportError('bad certificate', { retryable: false }).retryable).toBe(false);
    expect(new ConfigError('x').retryable).toBe(false);
  });

  it('are told apart by brand', () => {
    expect(errorClass(new BugError('x'))).toBe('BugError');
    expect(isKeelsonError(new Error('x'))).toBe(false);
    expect(isKeelsonError(null)).toBe(false);
    expect(isConfigError(new BugError('x'))).toBe(false);
  });
});
