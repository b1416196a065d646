import { describe, expect, test } from 'vitest';
import { formatType } from './check/format-type.ts';
import { createEnvironment } from './create-environment.ts';
import type { Environment } from './environment.ts';
import { formatIssues } from './issues.ts';
import { OPTIONALS_LIBRARY } from './libraries/optionals.ts';
import { STANDARD_LIBRARY } from './libraries/standard/standard.ts';
import type { Library } from './library.ts';
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  type ObjectType,
  opaqueType,
  optionalOf,
  paramType,
  STRING,
  TIMESTAMP,
} from './types.ts';

const PORT: ObjectType = {
  kind: 'object',
  name: 'Port',
  field: (name) => ({ name: STRING, number: INT, next: optionalOf(PORT) })[name],
  fieldNames: () => ['name', 'number', 'next'],
};

const VARIABLES: Readonly<Record<string, CelType>> = {
  i: INT,
  s: STRING,
  b: BOOL,
  x: DYN,
  n: NULL,
  t: TIMESTAMP,
  li: listOf(INT),
  ms: mapOf(STRING, STRING),
  o: optionalOf(INT),
  port: PORT,
  ports: listOf(PORT),
  'a.b': INT,
  q: opaqueType('Quantity'),
};

const variables = Object.entries(VARIABLES).map(([name, type]) => ({ name, type }));
const environment = createEnvironment({ libraries: [STANDARD_LIBRARY, OPTIONALS_LIBRARY], variables, types: [PORT] });

/** The type of a source, or its issues. */
function outcome(source: string, where: Environment = environment): string {
  const result = where.check(source);
  return result.ok ? formatType(result.checked.type) : formatIssues(source, result.issues);
}

/** Line, column and message of the only issue. */
function issue(source: string, where?: Environment): string {
  const [first, , , ...rest] = outcome(source, where).split('\n');
  expect(rest).toEqual([]);
  return (first ?? '').replace('ERROR: <input>:', '');
}

describe('types', () => {
  test.each([
    ['i + 1', 'int'],
    ['x + 1', 'int'],
    ['x.y.z', 'dyn'],
    ['ms.a', 'string'],
    ['port.name', 'string'],
    ['port.next.number', 'optional_type(int)'],
    ['port.?name', 'optional_type(string)'],
    ['port.?name.orValue("a")', 'string'],
    ['has(port.name)', 'bool'],
    ['ports.map(p, p.number)', 'list(int)'],
    ['ports.filter(p, p.number > 1).map(p, {p.name: [p]})', 'list(map(string, list(Port)))'],
    ['li.exists_one(e, e == 1)', 'bool'],
    ['[]', 'list(dyn)'],
    ['[[], [1]]', 'list(list(int))'],
    ['[] + [1]', 'list(int)'],
    ['{}.a', 'dyn'],
    ['b ? [] : li', 'list(int)'],
    ['b ? t : null', 'timestamp'],
    ['[?o, 2]', 'list(int)'],
    ['{?"a": o}', 'map(string, int)'],
    ['q == null && o == null && port == null', 'bool'],
    ['optional.of(i)', 'optional_type(int)'],
    ['type(1)', 'type(int)'],
    ['a.b + i', 'int'],
    ['.a.b', 'int'],
    ['Port{name: s, ?number: o}', 'Port'],
    ['dyn([1, 2])', 'dyn'],
  ])('%s is %s', (source, type) => {
    expect(outcome(source)).toBe(type);
  });
});

describe('issues', () => {
  test.each([
    ['y', "1:1: undeclared reference to 'y' (in container '')"],
    ['s.foo()', "1:6: undeclared reference to 'foo' (in container '')"],
    ['i + s', "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ['s.startsWith(i)', "1:13: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['b && i', "1:6: expected type 'bool' but found 'int'"],
    ['port.nam', "1:5: undefined field 'nam'"],
    ['i.x', "1:2: type 'int' does not support field selection"],
    ['i == null', "1:3: found no matching overload for '_==_' applied to '(int, null)'"],
    [
      's.all(e, true)',
      "1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['li.all(e, e)', "1:11: expected type 'bool' but found 'int'"],
    ['[?1]', "1:3: expected type 'optional_type(int)' but found 'int'"],
    ['{?"a": 1}', "1:8: expected type 'optional_type(int)' but found 'int'"],
    ['Port{name: 1}', "1:10: expected type of field 'name' is 'string' but provided type is 'int'"],
    ['Port{nam: 1}', "1:9: undefined field 'nam'"],
    ['i{}', "1:2: 'int' is not a type"],
    ['int{}', "1:4: 'int' is not a message type"],
  ])('of %s', (source, expected) => {
    expect(issue(source)).toBe(expected);
  });

  test('are reported once each, in order, with their lines', () => {
    expect(outcome('i + s +\n\tnone.x\n+ (1')).toBe(
      "ERROR: <input>:3:5: Syntax error: missing ')' at '<EOF>'\n | + (1\n | ....^",
    );
    expect(outcome('"日" == none &&\n\ti')).toBe(
      [
        "ERROR: <input>:1:8: undeclared reference to 'none' (in container '')",
        ' | "日" == none &&',
        ' | .．.....^',
        "ERROR: <input>:2:2: expected type 'bool' but found 'int'",
        ' |  i',
        ' | .^',
      ].join('\n'),
    );
  });

  test('after the first hundred are only counted', () => {
    const source = `[${Array(102).fill('none').join(',')}]`;
    expect(outcome(source).split('\n').at(-1)).toBe('2 more errors were truncated');
  });
});

describe('references', () => {
  test('contain overloads, variables, locals and constants', () => {
    const result = environment.check('li.all(e, e > i) || type(x) == int');
    if (!result.ok) throw new Error('rejected');
    const references = [...result.checked.references.values()].map((reference) =>
      reference.kind === 'overloads'
        ? reference.overloads.map((overload) => overload.id).join('|')
        : reference.kind === 'variable'
          ? `${reference.name}#${reference.index}`
          : reference.kind === 'local'
            ? `local ${reference.name}`
            : 'constant',
    );
    expect(references).toEqual([
      'li#6',
      'local @result',
      'not_strictly_false',
      'local @result',
      'local e',
      'i#0',
      'greater_int64',
      'logical_and',
      'local @result',
      'x#3',
      'type',
      'constant',
      'equals',
      'logical_or',
    ]);
  });

  test('a variable of a comprehension hides one of the environment', () => {
    const result = environment.check('[s].all(i, i == "a")');
    if (!result.ok) throw new Error('rejected');
    expect([...result.checked.references.values()]).toContainEqual({ kind: 'local', name: 'i' });
  });

  test('a qualified function loses its target', () => {
    const result = environment.check('optional.of(1)');
    expect(result.ok && result.checked.expr).toMatchObject({ name: 'optional.of', target: undefined });
  });

  test('contain several overloads if the types are known only at run time', () => {
    const result = environment.check('x < 1');
    if (!result.ok) throw new Error('rejected');
    const reference = result.checked.references.get(result.checked.expr);
    expect(reference?.kind === 'overloads' && reference.overloads.map((overload) => overload.id).sort()).toEqual([
      'less_double_int64',
      'less_int64',
      'less_uint64_int64',
    ]);
  });
});

describe('containers', () => {
  const contained = createEnvironment({
    libraries: [STANDARD_LIBRARY],
    container: 'p.q',
    variables: ['p.q.v', 'p.v', 'v', 'w'].map((name) => ({ name, type: name === 'p.q.v' ? INT : STRING })),
  });

  test('are searched from the innermost outwards', () => {
    expect(outcome('v', contained)).toBe('int');
    expect(outcome('.v', contained)).toBe('string');
    expect(outcome('w', contained)).toBe('string');
    expect(outcome('q.v', contained)).toBe('int');
    expect(issue('none', contained)).toBe("1:1: undeclared reference to 'none' (in container 'p.q')");
  });
});

describe('literals', () => {
  const format: Library = {
    name: 'format',
    functions: [
      { name: 'format', overloads: [{ id: 'f', member: true, params: [STRING, listOf(DYN)], result: STRING }] },
    ],
    mixedLiteralsIn: ['format'],
    validators: [
      (checked, issue) => {
        if (checked.source.includes('bad')) issue({ message: 'bad', at: 0 });
      },
    ],
  };
  const strict = createEnvironment({ libraries: [STANDARD_LIBRARY, format], variables });
  const loose = createEnvironment({
    libraries: [STANDARD_LIBRARY, format],
    variables,
    homogeneousLiterals: false,
    validateLiterals: false,
  });

  test.each([
    ['[1, "a"]', "1:5: expected type 'int' but found 'string'", 'list(dyn)'],
    ['[1, x]', "1:5: expected type 'int' but found 'dyn'", 'list(dyn)'],
    ['{"a": 1, "b": "c"}', "1:15: expected type 'int' but found 'string'", 'map(string, dyn)'],
    ['{"a": 1, 2: 3}', "1:10: expected type 'string' but found 'int'", 'map(dyn, int)'],
    ['duration("x")', '1:10: invalid duration argument', 'duration'],
    ['duration(null)', '1:10: invalid duration argument', 'duration'],
    ['timestamp("2020")', '1:11: invalid timestamp argument', 'timestamp'],
    ['s.matches("[")', '1:11: invalid matches argument', 'bool'],
    ['"bad" == s', '1:1: bad', 'bool'],
  ])('%s', (source, rejection, type) => {
    expect(issue(source, strict)).toBe(rejection);
    expect(outcome(source, loose)).toBe(type);
  });

  test('may have mixed types where a library allows it', () => {
    expect(outcome('"%d %s".format([1, "a", [1, "b"]])', strict)).toBe('string');
    expect(outcome('duration("1h") > duration("1m") && s.matches("a")', strict)).toBe('bool');
  });
});

describe('environments', () => {
  test('can be extended with other variables', () => {
    const derived = environment.extend({ variables: [{ name: 'self', type: listOf(PORT) }] });
    expect(outcome('self.all(p, p.number > 0)', derived)).toBe('bool');
    expect(issue('i', derived)).toBe("1:1: undeclared reference to 'i' (in container '')");
    expect(outcome('Port{}', derived)).toBe('Port');
    expect(outcome('i')).toBe('int');
  });

  test('run expressions that they checked', () => {
    const result = environment.check('i + 1 == 3');
    if (!result.ok) throw new Error('rejected');
    expect(environment.program(result.checked).evaluate([2]).value).toBe(true);
  });

  const T = paramType('T');
  test.each([
    [
      'two overloads f',
      [
        { id: 'f', params: [INT], result: INT },
        { id: 'f', params: [STRING], result: INT },
      ],
    ],
    [
      'overload f overlaps g',
      [
        { id: 'f', params: [listOf(T)], result: INT },
        { id: 'g', params: [listOf(INT)], result: INT },
      ],
    ],
  ])('refuse libraries with conflicting overloads: %s', (message, overloads) => {
    const libraries = overloads.map((overload) => ({
      name: overload.id,
      functions: [{ name: 'fun', overloads: [overload] }],
    }));
    expect(() => createEnvironment({ libraries, variables: [] })).toThrow(message);
  });

  test('accept the same overload from two libraries', () => {
    expect(() => createEnvironment({ libraries: [STANDARD_LIBRARY, STANDARD_LIBRARY], variables: [] })).not.toThrow();
  });
});
