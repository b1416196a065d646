import { expect, it } from 'vitest';
import { createKeyMap } from './key-map.ts';
import { markerKey, ordersProgress } from './progress-marker.ts';

it('progress is trusted from the releases on that kube-apiserver trusts', () => {
  const versions = ['3.3.27', '3.4.30', '3.4.31', '3.5.12', '3.5.13', '3.6.0', '3.7.0-alpha.0', '4.0.0', '', 'x'];
  expect(versions.filter(ordersProgress)).toEqual(['3.4.31', '3.5.13', '3.6.0', '3.7.0-alpha.0', '4.0.0']);
});

it('the marker sorts before the keys of the store and is none of them', () => {
  const keys = createKeyMap('/registry', 'registry');
  expect(markerKey(keys)).toBe('/registry.progress');
  expect(markerKey(keys) < keys.start).toBe(true);
});
