import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldSet } from './field-set.fixtures.ts';
import { equalSets, type FieldSet, fieldSetOf } from './field-set.ts';
import { formatPath, keyElement } from './path-element.ts';
import { ANY_ELEMENT, excludeFilter, includeFilter } from './set-filter.ts';

const texts = (set: FieldSet): string[] => Array.from(set.paths(), (path) => formatPath(path));
const [a, b] = [keyElement({ name: 'a' }), keyElement({ name: 'b' })];

describe('an exclude filter', () => {
  it('drops a field with everything below it', () => {
    const filter = excludeFilter(fieldSetOf(['status'], ['metadata', 'labels']));
    const set = fieldSetOf(['status', 'replicas'], ['status'], ['metadata', 'labels', 'x'], ['metadata', 'name']);
    expect(texts(filter(set))).toEqual(['.metadata.name']);
  });
});

describe('an include filter', () => {
  it('keeps the paths that match a pattern with a wildcard, and the members on the way', () => {
    const filter = includeFilter(['spec', 'containers', ANY_ELEMENT, 'resources']);
    const set = fieldSetOf(
      ['spec', 'containers', a],
      ['spec', 'containers', a, 'image'],
      ['spec', 'containers', b, 'resources', 'limits'],
      ['spec', 'nodeName'],
    );
    expect(texts(filter(set))).toEqual(['.spec.containers[name="a"]', '.spec.containers[name="b"].resources.limits']);
  });

  it('keeps the paths that match any of several patterns', () => {
    const filter = includeFilter(['spec', a], ['spec', b, 'x'], ['metadata']);
    const set = fieldSetOf(['spec', a, 'y'], ['spec', b, 'y'], ['spec', b, 'x'], ['metadata', 'name'], ['status']);
    expect(texts(filter(set))).toEqual(['.metadata.name', '.spec[name="a"].y', '.spec[name="b"].x']);
  });

  it('prefers a wildcard to an element', () => {
    const filter = includeFilter(['spec', a, 'x'], ['spec', ANY_ELEMENT, 'y']);
    expect(texts(filter(fieldSetOf(['spec', a, 'x'], ['spec', a, 'y'])))).toEqual(['.spec[name="a"].y']);
  });

  it('without a pattern keeps everything', () => {
    fc.assert(fc.property(fieldSet, (set) => equalSets(includeFilter()(set), set)));
  });
});
