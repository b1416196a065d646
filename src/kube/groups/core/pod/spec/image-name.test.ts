import { describe, expect, test } from 'vitest';
import { defaultPullPolicy, imageTag } from './image-name.ts';

describe('the tag of an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const cases: readonly (readonly [string, string])[] = [
    ['nginx', 'latest'],
    ['nginx:1.2', '1.2'],
    ['localhost:5000/a/b', 'latest'],
    ['localhost:5000/a/b:v1', 'v1'],
    ['[::1]:5000/a', 'latest'],
    ['example.com/a__b/c-_d', ''],
    [`nginx@${digest}`, ''],
    [`nginx:latest@${digest}`, 'latest'],
    ['nginx@sha256:abc', ''],
    ['Nginx', ''],
    ['a:b:c', ''],
    ['', ''],
    ['a'.repeat(64), ''],
    [`a/${'b'.repeat(253)}`, 'latest'],
    [`a/${'b'.repeat(254)}`, ''],
    ['my_host.x/a', 'latest'],
  ];
  test.each(cases)('%s has %j', (image, tag) => expect(imageTag(image)).toBe(tag));

  test('decides the default pull policy', () => {
    expect(defaultPullPolicy('nginx')).toBe('Always');
    expect(defaultPullPolicy('nginx:1')).toBe('IfNotPresent');
    expect(defaultPullPolicy(' nginx')).toBe('IfNotPresent');
  });
});
