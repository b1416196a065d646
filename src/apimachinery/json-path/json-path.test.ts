import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../base/json-value.ts';
import { parseJsonPath } from './json-path.ts';

const object: JsonValue = {
  spec: {
    name: 'x',
    'a.b': 1,
    list: [
      { type: 'A', n: 1, status: 'True' },
      { type: 'B', n: 2, status: 'False' },
      { type: 'C)', n: 3.5 },
    ],
    empty: [],
    none: null,
  },
};

function find(path: string): readonly JsonValue[] | undefined | 'unparsable' {
  const parsed = parseJsonPath(path);
  return parsed === undefined ? 'unparsable' : parsed.find(object);
}

describe('a path', () => {
  it.each<[string, readonly JsonValue[] | undefined]>([
    ['.spec.name', ['x']],
    ['$.spec.name', ['x']],
    ['.spec.missing.deep', []],
    ['.spec.name.deep', []],
    ['.spec.none', [null]],
    ['.spec.none.deep', []],
    [".spec['name']", ['x']],
    ['.spec.a\\.b', [1]],
    [".spec['a\\.b']", [1]],
    ['.spec.list[0].type', ['A']],
    ['.spec.list[-1].type', ['C)']],
    ['.spec.list[0:2].n', [1, 2]],
    ['.spec.list[::2].n', [1, 3.5]],
    ['.spec.list[*].n', [1, 2, 3.5]],
    ['.spec.list[0,1].n', [1, 2]],
    ['.spec.empty[*]', []],
    ['.spec.list[9]', undefined],
    ['.spec.empty[0]', undefined],
    ['.spec.name[0]', undefined],
    ['.spec.list[?(@.type=="B")].status', ['False']],
    ["..list[?(@.type=='A')].n", [1]],
    ['.spec.list[?(@.type=="C)")].n', [3.5]],
    ['.spec.list[?(@.n>1)].type', undefined],
    ['.spec.list[?(@.n==2)].type', undefined],
    ['.spec.list[?(@.status)].type', ['A', 'B']],
    ['.spec.list[?(@.type!="A")].type', ['B', 'C)']],
    ['.spec.name[?(@.x=="y")]', undefined],
    ['..type', ['A', 'B', 'C)']],
  ])('%s finds what client-go finds', (path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  it.each(['.spec[', '.spec[x]', '.spec[?(@.a]', '....a', 'range', '.spec[?(@.a=="b"]'])(
    '%s cannot be read',
    (path) => {
      expect(find(path)).toBe('unparsable');
    },
  );

  it('compares integers with integers only', () => {
    const integers = { list: [{ n: 1 }, { n: 2 }] };
    expect(parseJsonPath('.list[?(@.n>=2)].n')?.find(integers)).toEqual([2]);
    expect(parseJsonPath('.list[?(@.n<2)].n')?.find(integers)).toEqual([1]);
    expect(parseJsonPath('.list[?(@.n=="2")].n')?.find(integers)).toBeUndefined();
  });
});
