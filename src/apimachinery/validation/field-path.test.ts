import { describe, expect, it } from 'vitest';
import { childPath, FieldPath, formatPath, indexPath, keyPath } from './field-path.ts';

describe('FieldPath', () => {
  it('prints names with dots and subscripts in brackets', () => {
    expect(FieldPath.of('spec', 'containers').index(0).child('env').key('k').toString()).toBe(
      'spec.containers[0].env[k]',
    );
  });

  it('prints keys as they are, dots and slashes included', () => {
    expect(FieldPath.of('metadata', 'annotations').key('a.b/c').toString()).toBe('metadata.annotations[a.b/c]');
  });

  it('prints the object as a whole as <nil>', () => {
    expect(formatPath(undefined)).toBe('<nil>');
  });

  it('begins with a name, an index or a key when there is no path yet', () => {
    expect(childPath(undefined, 'spec').toString()).toBe('spec');
    expect(indexPath(undefined, 3).child('name').toString()).toBe('[3].name');
    expect(keyPath(undefined, 'k').index(1).toString()).toBe('[k][1]');
  });

  it('continues below a path', () => {
    const spec = FieldPath.of('spec');
    expect([childPath(spec, 'a'), indexPath(spec, 1), keyPath(spec, 'k')].map(formatPath)).toEqual([
      'spec.a',
      'spec[1]',
      'spec[k]',
    ]);
  });

  it('prints an empty name or key as empty brackets', () => {
    expect(FieldPath.of('a', '').toString()).toBe('a[]');
    expect(FieldPath.of('').child('b').toString()).toBe('[].b');
    expect(FieldPath.of('a').key('').toString()).toBe('a[]');
  });

  it('never changes: extending a path leaves it as it was', () => {
    const spec = FieldPath.of('spec');
    spec.child('a').index(1);
    expect(spec.toString()).toBe('spec');
  });

  it('prints a path of any depth', () => {
    let path = FieldPath.of('a');
    for (let i = 0; i < 50_000; i++) path = path.index(0);
    expect(path.toString()).toHaveLength(1 + 3 * 50_000);
  });
});
