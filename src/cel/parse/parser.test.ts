import { describe, expect, test } from 'vitest';
import type { Expr } from '../ast.ts';
import { formatIssues } from '../issues.ts';
import type { Macro } from '../library.ts';
import { parse } from './parser.ts';
import { STANDARD_MACROS } from './standard-macros.ts';

const macros = new Map<string, Macro[]>();
for (const macro of STANDARD_MACROS) macros.set(macro.name, [...(macros.get(macro.name) ?? []), macro]);

function tree(source: string): Expr {
  const result = parse(source, { macros, optionalSyntax: true, escapedFields: true });
  if (!result.ok) throw new Error(formatIssues(source, result.issues));
  return result.expr;
}

/** Line, column and message of each issue. */
function issues(source: string, options = { optionalSyntax: true, escapedFields: true }): readonly string[] {
  const result = parse(source, { macros, ...options });
  if (result.ok) return [];
  return formatIssues(source, result.issues)
    .split('\n')
    .filter((line) => line.startsWith('ERROR: '))
    .map((line) => line.slice('ERROR: <input>:'.length));
}

function literal(source: string): unknown {
  const expr = tree(source);
  if (expr.kind !== 'literal' || expr.literal.type === 'null') return expr;
  return expr.literal.type === 'bytes' ? [...expr.literal.value] : expr.literal.value;
}

describe('literals', () => {
  test.each([
    ["'a\\'b'", "a'b"],
    ['"tab\\tnewline\\n\\x41\\101\\u00e9\\U0001F600"', 'tab\tnewline\nAAé😀'],
    ["r'\\n' ", '\\n'],
    ['R"""a"b\\"""', 'a"b\\'],
    ["'''it's\r\nlong'''", "it's\nlong"],
    ["''", ''],
    ['0x1F', 31n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['18446744073709551615u', 2n ** 64n - 1n],
    ['0xfFU', 255n],
    ['.5e1', 5],
    ['-1.5', -1.5],
    ['- 1', -1n],
  ])('%s', (source, value) => {
    expect(literal(source)).toEqual(value);
  });

  test('bytes contain UTF-8 and the values of escapes', () => {
    expect(literal("b'é\\xff\\377\\n'")).toEqual([0xc3, 0xa9, 0xff, 0xff, 10]);
    expect(literal('bR"\\xff"')).toEqual([92, 120, 102, 102]);
  });

  test.each([
    ['9223372036854775808', '1:1: invalid int literal'],
    ['--9223372036854775808', '1:3: invalid int literal'],
    ['18446744073709551616u', '1:1: invalid uint literal'],
    ['1e999', '1:1: invalid double literal'],
    ["'\\ud800'", '1:1: invalid unicode code point'],
    ["b'\\u0041'", '1:1: unable to unescape string'],
  ])('%s is an error', (source, issue) => {
    expect(issues(source)).toEqual([issue]);
  });
});

describe('positions', () => {
  test('are in code points', () => {
    expect(tree("'😀😀' + x")).toMatchObject({ name: '_+_', at: 5, args: [{ at: 0 }, { at: 7 }] });
  });

  test('of calls are their parentheses, of selections their dots', () => {
    expect(tree('a.b(c)[d].e')).toMatchObject({
      kind: 'select',
      at: 9,
      operand: { name: '_[_]', at: 6, args: [{ name: 'b', at: 3 }, { at: 7 }] },
    });
  });
});

describe('trees', () => {
  test('chains of && are balanced', () => {
    expect(tree('a && b && c && d')).toMatchObject({
      at: 7,
      args: [
        { at: 2, args: [{ name: 'a' }, { name: 'b' }] },
        { at: 12, args: [{ name: 'c' }, { name: 'd' }] },
      ],
    });
  });

  test('an even number of signs is dropped', () => {
    expect(tree('!!a')).toMatchObject({ kind: 'ident' });
    expect(tree('---a')).toMatchObject({ name: '-_', at: 0, args: [{ kind: 'ident' }] });
    expect(tree('--1')).toMatchObject({ kind: 'literal', literal: { value: 1n } });
  });

  test('optional syntax', () => {
    expect(tree('a.?b')).toMatchObject({ name: '_?._', args: [{ name: 'a' }, { literal: { value: 'b' } }] });
    expect(tree('a[?1]')).toMatchObject({ name: '_[?_]' });
    expect(tree('[1, ?a]')).toMatchObject({ kind: 'list', optional: [1] });
    expect(tree('{?a: 1, b: 2}')).toMatchObject({ entries: [{ optional: true, at: 3 }, { optional: false }] });
    expect(tree('.a.B{?c: 1}')).toMatchObject({
      kind: 'struct',
      name: '.a.B',
      fields: [{ name: 'c', optional: true }],
    });
    const plain = { optionalSyntax: false, escapedFields: false };
    expect(issues('a.?b', plain)).toEqual(["1:2: unsupported syntax '.?'"]);
    expect(issues('a[?b]', plain)).toEqual(["1:2: unsupported syntax '[?'"]);
    expect(issues('[?a]', plain)).toEqual(["1:2: unsupported syntax '?'"]);
    expect(issues('a.`b`', plain)).toEqual(["1:3: unsupported syntax: '`'"]);
  });

  test('names of fields may be reserved words or in backquotes', () => {
    expect(tree('a.`b-c/d.e f`')).toMatchObject({ field: 'b-c/d.e f' });
    expect(tree('a.while')).toMatchObject({ field: 'while' });
    expect(issues('while')).toEqual(['1:1: reserved identifier: while']);
  });
});

describe('macros', () => {
  test('exists checks its accumulator before each step', () => {
    expect(tree('a.exists(x, x)')).toMatchObject({
      kind: 'comprehension',
      variable: 'x',
      variable2: '',
      accumulator: '@result',
      at: 8,
      init: { literal: { value: false } },
      condition: { name: '@not_strictly_false', args: [{ name: '!_', args: [{ name: '@result' }] }] },
      step: { name: '_||_', args: [{ name: '@result' }, { name: 'x' }] },
      result: { name: '@result' },
    });
  });

  test('map with a predicate appends under a condition', () => {
    expect(tree('a.map(x, p, f)')).toMatchObject({
      init: { kind: 'list', elements: [] },
      step: { name: '_?_:_', args: [{ name: 'p' }, { name: '_+_', args: [{}, { elements: [{ name: 'f' }] }] }, {}] },
    });
  });

  test('has is a selection that tests for presence', () => {
    expect(tree('has(a.b)')).toMatchObject({ kind: 'select', test: true, field: 'b', at: 3 });
    expect(tree('has(a.b, c)')).toMatchObject({ kind: 'call', name: 'has' });
  });

  test.each([
    ['has(a)', '1:5: invalid argument to has() macro'],
    ['a.all(1, true)', '1:7: argument must be a simple name'],
    ['a.map(b.c, 1)', '1:8: argument is not an identifier'],
    ['a.all(__result__, true)', '1:7: iteration variable overwrites accumulator variable'],
  ])('%s is an error', (source, issue) => {
    expect(issues(source)).toEqual([issue]);
  });
});

const ANY =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

describe('syntax errors', () => {
  test.each([
    ['1 +', [`1:4: Syntax error: mismatched input '<EOF>' expecting ${ANY}`]],
    ['', [`1:0: Syntax error: mismatched input '<EOF>' expecting ${ANY}`]],
    ['1 2', ["1:3: Syntax error: extraneous input '2' expecting <EOF>"]],
    ['(1', ["1:3: Syntax error: missing ')' at '<EOF>'"]],
    ['[1 2]', ["1:4: Syntax error: extraneous input '2' expecting {']', ','}"]],
    ['{1 2}', ["1:4: Syntax error: missing ':' at '2'"]],
    ['a.true', ["1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"]],
    ['a..b', ["1:3: Syntax error: no viable alternative at input '..'"]],
    ['a ? b', ["1:6: Syntax error: mismatched input '<EOF>' expecting ':'"]],
    ["a == 'b' and c", ["1:10: Syntax error: mismatched input 'and' expecting <EOF>"]],
    [
      "a = 'b'",
      [
        "1:3: Syntax error: token recognition error at: '= '",
        "1:5: Syntax error: extraneous input ''b'' expecting <EOF>",
      ],
    ],
    [
      '"a\\q"',
      [
        "1:1: Syntax error: token recognition error at: '\"a\\q'",
        "1:5: Syntax error: token recognition error at: '\"'",
        `1:6: Syntax error: mismatched input '<EOF>' expecting ${ANY}`,
      ],
    ],
    [
      '[e e == 1) && f(,) +',
      [
        "1:4: Syntax error: mismatched input 'e' expecting {']', ','}",
        "1:10: Syntax error: mismatched input ')' expecting <EOF>",
      ],
    ],
  ])('%s', (source, expected) => {
    expect(issues(source)).toEqual(expected);
  });

  test('end the parsing after too many recoveries', () => {
    expect(issues('f('.repeat(40)).at(-1)).toMatch(/error recovery attempt limit exceeded: 30$/);
  });
});

describe('limits', () => {
  const depth = '-1:0: expression recursion limit exceeded: 250';
  const height = '-1:0: max recursion depth exceeded';
  test.each([
    ['parentheses', (n: number) => `${'('.repeat(n)}1${')'.repeat(n)}`, 249, depth],
    ['lists', (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`, 250, depth],
    ['sums in parentheses', (n: number) => `${'1+('.repeat(n)}1${')'.repeat(n)}`, 124, depth],
    ['conditions', (n: number) => `${'b?1:'.repeat(n)}1`, 249, depth],
    [
      'terms',
      (n: number) =>
        Array(n + 1)
          .fill('1')
          .join('+'),
      250,
      height,
    ],
    ['selections', (n: number) => `a${'.b'.repeat(n)}`, 250, height],
    ['methods', (n: number) => `a${'.f()'.repeat(n)}`, 250, height],
  ])('%s', (_, source, most, issue) => {
    expect(issues(source(most))).toEqual([]);
    expect(issues(source(most + 1))).toEqual([issue]);
  });

  test('do not apply to chains of &&', () => {
    expect(issues(Array(20_000).fill('b').join('&&'))).toEqual([]);
  });

  test('count the size in code points', () => {
    expect(issues(`'${'😀'.repeat(99_998)}'`)).toEqual([]);
    expect(issues(`'${'😀'.repeat(99_999)}'`)).toEqual([
      '-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    ]);
  });
});
