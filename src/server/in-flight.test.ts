import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../base/bytes.ts';
import { isBugError } from '../base/errors.ts';
import { parseRequestInfo, type RequestInfo } from './http/request-info.ts';
import { createLongRunningCheck, InFlightGate, inFlightKind, TOO_MANY_REQUESTS } from './in-flight.ts';

function info(method: string, target: string): RequestInfo {
  const result = parseRequestInfo(method, target);
  if (!result.ok) throw new Error(result.problem);
  return result.info;
}

describe('the gate', () => {
  it('refuses requests above the limit of their kind', () => {
    const gate = new InFlightGate({ readOnly: 2, mutating: 1 });
    expect(gate.acquire('readOnly', false)).toBe('readOnly');
    expect(gate.acquire('readOnly', false)).toBe('readOnly');
    expect(gate.acquire('readOnly', false)).toBe('refused');
    expect(gate.acquire('mutating', false)).toBe('mutating');
    expect(gate.acquire('mutating', false)).toBe('refused');
    gate.release('readOnly');
    expect(gate.acquire('readOnly', false)).toBe('readOnly');
    expect([gate.count('readOnly'), gate.count('mutating')]).toEqual([2, 1]);
  });

  it('admits privileged requests, without counting them when it is full', () => {
    const gate = new InFlightGate({ readOnly: 1 });
    expect(gate.acquire('readOnly', true)).toBe('readOnly');
    expect(gate.acquire('readOnly', true)).toBe('uncounted');
    gate.release('uncounted');
    gate.release('refused');
    expect(gate.count('readOnly')).toBe(1);
  });

  it('never refuses long-running requests, but counts them', () => {
    const gate = new InFlightGate({ readOnly: 1, mutating: 1 });
    for (let i = 0; i < 1000; i++) expect(gate.acquire('longRunning', false)).toBe('longRunning');
    expect([gate.count('longRunning'), gate.count('readOnly')]).toEqual([1000, 0]);
    expect(gate.acquire('readOnly', false)).toBe('readOnly');
  });

  it("has the reference's limits by default, and none for 0", () => {
    const fill = (gate: InFlightGate, kind: 'readOnly' | 'mutating'): number => {
      let count = 0;
      while (count < 1000 && gate.acquire(kind, false) !== 'refused') count++;
      return count;
    };
    expect([fill(new InFlightGate(), 'readOnly'), fill(new InFlightGate(), 'mutating')]).toEqual([400, 200]);
    expect(fill(new InFlightGate({ readOnly: 0 }), 'readOnly')).toBe(1000);
    expect(() => new InFlightGate({ mutating: -1 })).toThrow(expect.toSatisfy(isBugError));
  });

  it('returns the highest number in flight since the last call', () => {
    const gate = new InFlightGate();
    for (let i = 0; i < 3; i++) gate.acquire('mutating', false);
    gate.release('mutating');
    gate.release('mutating');
    expect([gate.takeHighWater('mutating'), gate.takeHighWater('mutating'), gate.count('mutating')]).toEqual([3, 1, 1]);
  });

  it('throws a BugError for a second release', () => {
    const gate = new InFlightGate();
    gate.release(gate.acquire('readOnly', false));
    expect(() => gate.release('readOnly')).toThrow(expect.toSatisfy(isBugError));
  });
});

describe('a request', () => {
  it.each([
    ['get', 'readOnly'],
    ['list', 'readOnly'],
    ['watch', 'readOnly'],
    ['create', 'mutating'],
    ['post', 'mutating'],
    ['', 'mutating'],
  ])('with the verb %j is %s', (verb, kind) => {
    expect(inFlightKind(verb, false)).toBe(kind);
    expect(inFlightKind(verb, true)).toBe('longRunning');
  });

  it('is long-running by its verb or its subresource', () => {
    const check = createLongRunningCheck({ verbs: ['watch', 'proxy'], subresources: ['exec'] });
    expect(check(info('GET', '/api/v1/pods?watch=1'))).toBe(true);
    expect(check(info('GET', '/api/v1/pods'))).toBe(false);
    expect(check(info('POST', '/api/v1/namespaces/a/pods/b/exec'))).toBe(true);
    expect(check(info('POST', '/api/v1/namespaces/a/pods/b/eviction'))).toBe(false);
    expect(check(info('GET', '/x/y/z/exec'))).toBe(false);
  });

  it('that is refused gets Retry-After: 1', () => {
    const answer = TOO_MANY_REQUESTS;
    if (answer.kind !== 'bytes') throw new Error(answer.kind);
    expect([answer.status, answer.headers['retry-after'], decodeUtf8(answer.body)]).toEqual([
      429,
      '1',
      'Too many requests, please try again later.\n',
    ]);
  });
});
