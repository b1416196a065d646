/**
 * The generator of random expressions over the schema of the CEL tests. Most of them type-check, because every part is
 * generated for the wanted type. Their values and costs at run time are random.
 */
import type { Random } from '../../test/fuzz/random.ts';

/** The types that parts are generated for; `optInt` is optional_type(int). */
type Kind =
  | 'int'
  | 'bool'
  | 'text'
  | 'double'
  | 'ints'
  | 'texts'
  | 'object'
  | 'time'
  | 'duration'
  | 'optInt'
  | 'optText'
  | 'dyn';

const LEAVES: Readonly<Record<Kind, readonly string[]>> = {
  int: [
    'self.a',
    'self.b',
    '1',
    '0',
    '-3',
    'self.nested.x',
    'self.n[0]',
    'self.big',
    'self.mi.one',
    'self.objs[2].port',
    'self.n[9]',
    'self.mi.nope',
  ],
  bool: [
    'self.flag',
    'true',
    'false',
    'has(self.unset)',
    'has(self.nested.y.z)',
    "'k' in self.m",
    "self.t in ['abc', 'd']",
    'self.a in [1, 2, 3]',
  ],
  text: [
    'self.s',
    'self.t',
    'self.e',
    "'x'",
    "'a longer constant text'",
    'self.long',
    'self.unset',
    'self.m.k',
    "self.m['key2']",
    'self.l[1]',
    'self.objs[1].name',
    "'é😀'",
  ],
  double: ['self.f', '1.5', '-0.25', '1e10'],
  ints: ['self.n', '[1, 2, 3]', 'self.empty', '[self.a, 4]', 'lists.range(4)'],
  texts: ['self.l', "['q']", '[self.t, self.s]', "'a,b,,c'.split(',')"],
  object: ['self.objs[0]', 'self.objs[1]', 'self.objs[5]'],
  time: ['self.ts', "timestamp('2020-02-29T23:59:59.5Z')"],
  duration: ['self.d', "duration('90s')", "duration('-1.5h')"],
  optInt: [
    'optional.of(self.a)',
    'self.?a',
    'optional.none()',
    'self.n[?1]',
    'self.n[?9]',
    "self.mi[?'one']",
    'self.?nested.?x',
  ],
  optText: [
    'self.?unset',
    'self.?t',
    'self.?nested.?y.?z',
    "self.m[?'k']",
    'self.l[?0]',
    'self.l.first()',
    'self.l.last()',
  ],
  dyn: ['self.ios', 'dyn(self.a)', 'dyn(self.t)', 'dyn(1.0)', 'dyn([1])', 'dyn({})'],
};

type Make = (g: Generator) => string;

const BINARY = ['+', '-', '*', '/', '%'] as const;
const RELATIONS = ['<', '<=', '>', '>='] as const;
const COMPARED: readonly Kind[] = [
  'int',
  'text',
  'double',
  'ints',
  'texts',
  'bool',
  'object',
  'time',
  'duration',
  'optInt',
  'optText',
  'dyn',
];
const ORDERED: readonly Kind[] = ['int', 'text', 'double', 'time', 'duration', 'bool'];
const PATTERNS = ["'^[a-z]+$'", "'lo.*wo'", 'self.t', "'(a|b)+c?'", "'[é-ü]|(x*)*$'", "'('"];
const TESTS = ['all', 'exists', 'exists_one'] as const;

const MAKERS: Readonly<Record<Kind, readonly Make[]>> = {
  int: [
    (g) => `(${g.of('int')} ${g.pick(BINARY)} ${g.of('int')})`,
    (g) => `-(${g.of('int')})`,
    (g) => `size(${g.any('text', 'ints', 'texts')})`,
    (g) => `${g.of('ints')}[${g.of('int')}]`,
    (g) => `int(${g.any('double', 'int', 'time', 'text')})`,
    (g) => `${g.of('optInt')}.orValue(${g.of('int')})`,
    (g) => `${g.of('optInt')}.value()`,
    (g) => `(${g.of('object')}).port`,
    (g) => `self.mi[${g.of('text')}]`,
    (g) =>
      `${g.of('time')}.${g.pick(['getHours()', "getFullYear('Europe/Berlin')", 'getDayOfWeek()', 'getMilliseconds()'])}`,
    (g) => `${g.of('duration')}.${g.pick(['getMinutes()', 'getHours()'])}`,
    (g) => `${g.of('ints')}.${g.pick(['sum()', 'max()', 'min()', `indexOf(${g.of('int')})`])}`,
    (g) => `${g.of('text')}.${g.pick(['indexOf', 'lastIndexOf'])}(${g.of('text')})`,
    (g) => `(${g.of('int')} > 1 ? ip('10.1.2.3') : ip('::1')).family()`,
  ],
  bool: [
    (g) => `(${g.of('bool')} ${g.pick(['&&', '||'])} ${g.of('bool')})`,
    (g) => `!(${g.of('bool')})`,
    (g) => g.sameKind(COMPARED, ['==', '!=']),
    (g) => g.sameKind(ORDERED, RELATIONS),
    (g) => `${g.of('int')} in ${g.of('ints')}`,
    (g) => `${g.of('text')} in ${g.any('texts')}`,
    (g) => `${g.of('text')}.${g.pick(['startsWith', 'endsWith', 'contains'])}(${g.of('text')})`,
    (g) => `${g.of('text')}.matches(${g.pick(PATTERNS)})`,
    (g) => g.loop('ints', 'int', (v) => `${g.pick(TESTS)}(${v}, ${g.of('bool')})`),
    (g) => g.loop('texts', 'text', (v) => `${g.pick(TESTS)}(${v}, ${g.of('bool')})`),
    (g) =>
      g.loop2(
        'self.m',
        'text',
        'text',
        (k, v) => `${g.pick(['all', 'exists', 'existsOne'])}(${k}, ${v}, ${g.of('bool')})`,
      ),
    (g) => `${g.any('optInt', 'optText')}.hasValue()`,
    (g) => `has((${g.of('object')}).${g.pick(['name', 'port'])})`,
    (g) => `${g.of('dyn')} ${g.pick(['==', '<', 'in'])} ${g.of('dyn')}`,
    (g) => `type(${g.of('dyn')}) == ${g.pick(['int', 'string', 'double', 'list'])}`,
    (g) => `sets.${g.pick(['contains', 'equivalent', 'intersects'])}(${g.of('ints')}, ${g.of('ints')})`,
    (g) => `${g.of('ints')}.isSorted()`,
    (g) => `quantity(${g.pick(["'1Gi'", "'1500m'", "'x'", 'string(self.a)'])}).isGreaterThan(quantity('1'))`,
    (g) => `${g.pick(['isIP', 'isCIDR', 'isURL', 'isSemver', 'isQuantity'])}(${g.of('text')})`,
    (g) => `cidr('10.0.0.0/8').containsIP(${g.pick(["'10.2.3.4'", "'::1'", 'self.t'])})`,
    (g) => `!format.dns1123Label().validate(${g.of('text')}).hasValue()`,
  ],
  text: [
    (g) => `(${g.of('text')} + ${g.of('text')})`,
    (g) => `string(${g.any('int', 'double', 'bool', 'time', 'duration', 'text')})`,
    (g) => `${g.of('optText')}.orValue(${g.of('text')})`,
    (g) => `${g.of('texts')}[${g.of('int')}]`,
    (g) => `(${g.of('object')}).name`,
    (g) => `${g.of('text')}.${g.pick(['lowerAscii()', 'upperAscii()', 'trim()'])}`,
    (g) => `${g.of('text')}.substring(${g.of('int')})`,
    (g) => `${g.of('text')}.charAt(${g.of('int')})`,
    (g) => `${g.of('text')}.replace(${g.of('text')}, ${g.of('text')})`,
    (g) => `${g.of('texts')}.join(${g.pick(["','", "''", 'self.t'])})`,
    (g) => `'%s|%d|%.2f'.format([${g.any('text', 'ints', 'bool', 'duration')}, ${g.of('int')}, ${g.of('double')}])`,
    (g) => `${g.of('text')}.find(${g.pick(PATTERNS)})`,
    (g) => `strings.quote(${g.of('text')})`,
  ],
  double: [
    (g) => `(${g.of('double')} ${g.pick(['+', '-', '*', '/'])} ${g.of('double')})`,
    (g) => `double(${g.any('int', 'text')})`,
  ],
  ints: [
    (g) => g.loop('ints', 'int', (v) => `map(${v}, ${g.of('int')})`),
    (g) => g.loop('texts', 'text', (v) => `map(${v}, ${g.of('int')})`),
    (g) => g.loop('ints', 'int', (v) => `filter(${v}, ${g.of('bool')})`),
    (g) => g.loop('ints', 'int', (v) => `sortBy(${v}, ${g.of('int')})`),
    (g) => `(${g.of('ints')} + ${g.of('ints')})`,
    (g) => `[${g.of('int')}, ${g.of('int')}]`,
    (g) => `[?${g.of('optInt')}, ${g.of('int')}]`,
    (g) => g.loop2(g.of('ints'), 'int', 'int', (k, v) => `transformList(${k}, ${v}, ${g.of('bool')}, ${g.of('int')})`),
    (g) => `${g.of('ints')}.${g.pick(['sort()', 'reverse()', 'distinct()', 'slice(0, 1)'])}`,
    (g) => `[${g.of('ints')}, ${g.of('ints')}].flatten()`,
  ],
  texts: [
    (g) => g.loop('texts', 'text', (v) => `map(${v}, ${g.of('text')})`),
    (g) => g.loop('texts', 'text', (v) => `filter(${v}, ${g.of('bool')})`),
    (g) => g.loop('ints', 'int', (v) => `map(${v}, ${g.of('bool')}, ${g.of('text')})`),
    (g) => `(${g.of('texts')} + ${g.of('texts')})`,
    () => 'self.objs.map(o, o.name)',
    (g) => g.loop2('self.m', 'text', 'text', (k, v) => `transformList(${k}, ${v}, ${g.of('text')})`),
    (g) => `${g.of('text')}.split(${g.pick(["','", "''", "' '"])})`,
    (g) => `${g.of('text')}.findAll(${g.pick(PATTERNS)})`,
  ],
  object: [(g) => `self.objs[${g.of('int')}]`, (g) => `self.objs.filter(o, o.port > ${g.of('int')})[0]`],
  time: [(g) => `(${g.of('time')} ${g.pick(['+', '-'])} ${g.of('duration')})`, (g) => `timestamp(${g.of('int')})`],
  duration: [(g) => `(${g.of('duration')} + ${g.of('duration')})`, (g) => `(${g.of('time')} - ${g.of('time')})`],
  optInt: [
    (g) => `${g.of('optInt')}.or(${g.of('optInt')})`,
    (g) => g.loop('optInt', 'int', (v) => `optMap(${v}, ${g.of('int')})`),
    (g) => g.loop('optInt', 'int', (v) => `optFlatMap(${v}, ${g.of('optInt')})`),
    (g) => `optional.${g.pick(['of', 'ofNonZeroValue'])}(${g.of('int')})`,
    (g) => `${g.of('ints')}[?${g.of('int')}]`,
  ],
  optText: [(g) => `${g.of('optText')}.or(${g.of('optText')})`, (g) => `self.m[?${g.of('text')}]`],
  dyn: [(g) => `dyn(${g.any('int', 'text', 'double', 'ints', 'object')})`, (g) => `(${g.of('dyn')} + ${g.of('dyn')})`],
};

class Generator {
  readonly #random: Random;
  readonly #variables: { readonly name: string; readonly kind: Kind }[] = [];
  #depth: number;

  constructor(random: Random, depth: number) {
    this.#random = random;
    this.#depth = depth;
  }

  pick<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }

  any(...kinds: readonly Kind[]): string {
    return this.of(this.pick(kinds));
  }

  of(kind: Kind): string {
    const known = this.#variables.filter((variable) => variable.kind === kind);
    if (known.length > 0 && this.#random.int(3) === 0) return this.pick(known).name;
    if (this.#depth <= 0) return this.pick(LEAVES[kind]);
    this.#depth--;
    const made =
      this.#random.int(10) === 0
        ? `(${this.of('bool')} ? ${this.of(kind)} : ${this.of(kind)})`
        : this.pick(MAKERS[kind])(this);
    this.#depth++;
    return made;
  }

  sameKind(kinds: readonly Kind[], operators: readonly string[]): string {
    const kind = this.pick(kinds);
    return `${this.of(kind)} ${this.pick(operators)} ${this.of(kind)}`;
  }

  /** Returns the result of `make` with a variable for the items of the list before it. */
  loop(over: Kind, item: Kind, make: (variable: string) => string): string {
    const range = this.of(over);
    const name = `v${this.#variables.length}`;
    this.#variables.push({ name, kind: item });
    const made = make(name);
    this.#variables.pop();
    return `${range}.${made}`;
  }

  loop2(range: string, key: Kind, item: Kind, make: (key: string, value: string) => string): string {
    const [first, second] = [`k${this.#variables.length}`, `v${this.#variables.length}`];
    this.#variables.push({ name: first, kind: key }, { name: second, kind: item });
    const made = make(first, second);
    this.#variables.length -= 2;
    return `${range}.${made}`;
  }
}

const RESULTS: readonly Kind[] = ['bool', 'bool', 'int', 'text', 'ints', 'texts', 'optInt', 'optText', 'double', 'dyn'];

export function celExpression(random: Random): string {
  return new Generator(random, 1 + random.int(4)).of(random.pick(RESULTS));
}
