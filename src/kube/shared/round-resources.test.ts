import { expect, test } from 'vitest';
import { roundResourceList, roundResourceRequirements } from './round-resources.ts';

test('amounts are rounded up to thousandths; others keep their text', () => {
  const list = { a: '1n', b: '1.5', c: '2500u', d: '100m', e: '1Gi', f: '-1u', g: '1e-5', h: '1.0001' };
  roundResourceList(list);
  expect(list).toEqual({ a: '1m', b: '1.5', c: '3m', d: '100m', e: '1Gi', f: '-1m', g: '1e-3', h: '1001m' });
});

test('limits and requests are rounded if present', () => {
  const owner = { resources: { limits: { cpu: '1u' }, requests: { cpu: '2n' } } };
  roundResourceRequirements(owner);
  roundResourceRequirements({});
  expect(owner).toEqual({ resources: { limits: { cpu: '1m' }, requests: { cpu: '1m' } } });
});
