/** Fuzz targets of CEL: mutated sources, and programs that exceed the limits. */
import { decodeUtf8 } from '../../src/base/bytes.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { estimateCost } from '../../src/cel/cost/estimate.ts';
import type { Program } from '../../src/cel/environment.ts';
import { formatIssues } from '../../src/cel/issues.ts';
import { CelError, CelStopped, type Value } from '../../src/cel/values.ts';
import { adapterOf } from '../../src/schema/rules/adapt-value.ts';
import { declaredType } from '../../src/schema/rules/declared-type.ts';
import { ruleEnvironment } from '../../src/schema/rules/rule-program.ts';
import { withObjectMeta } from '../../src/schema/rules/with-object-meta.ts';
import { parseStructural } from '../../src/schema/structural/parse-structural.ts';
import type { FuzzTarget } from './targets.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    s: { type: 'string' },
    i: { type: 'integer' },
    d: { type: 'number' },
    b: { type: 'boolean' },
    l: { type: 'array', items: { type: 'string' } },
    n: { type: 'array', items: { type: 'integer' } },
    set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    m: { type: 'object', additionalProperties: { type: 'string' } },
    o: { type: 'object', properties: { x: { type: 'string' }, 'a-b': { type: 'integer' } } },
    x: { 'x-kubernetes-int-or-string': true },
    t: { type: 'string', format: 'date-time' },
    p: { type: 'string', format: 'duration' },
    y: { type: 'string', format: 'byte' },
    u: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

function object(scale: number): JsonObject {
  const texts = Array.from({ length: scale }, (_, i) => `item${i}`);
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'thing' },
    s: 'aé😀'.repeat(scale),
    i: 7,
    d: 0.5,
    b: true,
    l: texts,
    n: texts.map((_, i) => i),
    set: texts,
    m: Object.fromEntries(texts.map((text) => [text, text])),
    o: { x: 'y', 'a-b': 1 },
    x: '50%',
    t: '2024-01-02T03:04:05Z',
    p: '1h',
    y: 'AAEC',
    u: { any: [1, { a: null }] },
  };
}

/** The cost limit of one call of a rule in kube-apiserver. */
const LIMIT = 1_000_000;
/** The memory that one evaluation may use beside its object. */
const MAX_BYTES = 300 * 1024 * 1024;

const parsed = parseStructural(SCHEMA);
if (!parsed.ok) throw new Error(parsed.message);
const { schema } = parsed;
const declared = declaredType(schema, true);
if (declared === undefined) throw new Error('the schema has no type');
const environment = ruleEnvironment().extend({ variables: [{ name: 'self', type: declared.type }] });
const adapt = adapterOf(withObjectMeta(schema));
const SMALL: Value = adapt(object(3));
const LARGE: Value = adapt(object(20_000));

/** Includes garbage that is not collected yet. */
function bytesHeld(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Returns true if the source compiles. `self` decides how much work it can do. */
function run(source: string, self: Value): boolean {
  const checked = environment.check(source);
  if (!checked.ok) {
    if (checked.issues.length === 0) throw new Error('refused without an issue');
    formatIssues(source, checked.issues);
    return false;
  }
  const { min, max } = estimateCost(checked.checked, { size: () => undefined });
  if (!(min >= 0 && min <= max)) throw new Error(`the cost estimate is from ${min} to ${max}`);
  let program: Program;
  try {
    program = environment.program(checked.checked);
  } catch (caught) {
    if (caught instanceof CelError) return true;
    throw caught;
  }
  const before = bytesHeld();
  const outcome = program.run([self], { cost: LIMIT });
  const grown = bytesHeld() - before;
  if (grown > MAX_BYTES) throw new Error(`an evaluation used ${grown} bytes`);
  const ended = 'error' in outcome && outcome.error instanceof CelStopped;
  if (!ended && outcome.cost > LIMIT) throw new Error(`not stopped at cost ${outcome.cost}`);
  return true;
}

/** Sources that would use all memory or time without a limit. */
const GREEDY: readonly string[] = [
  `[dyn('0123456789')]${'.map(x, x + x)'.repeat(30)}.size() > 0`,
  `['0123456789']${'.map(x, x + x)'.repeat(30)}.size() > 0`,
  `[[1]]${'.map(x, x + x)'.repeat(30)}.size() > 0`,
  `['0123456789']${".map(x, '%s%s%s%s'.format([x, x, x, x]))".repeat(12)}.size() > 0`,
  `'0123456789'${".replace('', 'aaaaaaaaaa')".repeat(10)}.size() > 0`,
  `{'a': dyn('aaaaaaaa')}${'.transformMap(k, v, v + v)'.repeat(30)}.size() > 0`,
  `optional.of('a')${'.optMap(x, x + x)'.repeat(12)}.hasValue()`,
  "lists.range(100000).map(i, self.s.replace('a', self.s)).size() > 0",
  'lists.range(9223372036854775807).map(i, lists.range(i)).size() > 0',
  'lists.range(1000).transformMap(i, v, lists.range(1000)).size() > 0',
  'lists.range(1000).map(i, lists.range(1000).map(j, lists.range(1000).map(k, i + j + k))).size() > 0',
  'sets.equivalent(self.l, self.l) && sets.intersects(self.n, self.n.map(i, -1 - i))',
  'self.l.distinct().size() + self.l.sort().size() + self.n.sortBy(i, -i).size() > 0',
  'self.l.all(x, self.l.exists(y, self.l.exists_one(z, x + y == z)))',
  "self.l.join(self.s).split('').join(self.s).size() > 0",
  "self.s.matches('(a|é|.){1,300}$') && self.s.matches(self.l.join('|'))",
  "self.s.findAll('(.*)(.*)(.*)x?').size() > 0",
  "self.l.all(x, 'b'.matches('(' + x + '{1,500}){2}'))",
  "'%.100000f'.format([self.d]).size() + '%s'.format([self.m]).size() > 0",
  "self.l.map(x, quantity('1')).size() + [[[self.l]]].flatten(9).size() > 0",
];

const WORDS = [
  'self',
  '.l',
  '.map(x, ',
  '.filter(x, ',
  '.all(x, ',
  '.exists(i, v, ',
  '.transformMap(k, v, ',
  '.sortBy(x, ',
  '.optMap(x, ',
  '.size()',
  '.join(',
  ".split('')",
  ".replace('a', self.s)",
  '.format([self.l])',
  '.flatten()',
  'lists.range(',
  '100000',
  'dyn(',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '?',
  ':',
  ' + ',
  ' && ',
  ' == ',
  ' in ',
  '.?',
  '[?',
  '!',
  '-',
  "'",
  '"""',
  "b'\\xff'",
  '\\u{110000}',
  '0x',
  '1e999',
  '9223372036854775808',
  'r"',
  '//',
  '`',
  'has(',
  '__result__',
  '@result',
  'null',
  'timestamp("x")',
];

export const celTargets: readonly FuzzTarget[] = [
  {
    name: 'cel',
    corpus: [
      "self.l.all(x, x.matches('^[a-z0-9]+$')) && self.n.map(i, i * 2).sum() < 100 || has(self.o.x)",
      "self.m.transformMap(k, v, k + v).size() == 3 ? self.s.startsWith('a') : self.i in [1, 2, 7]",
      "self.?o.?x.orValue('z') == 'y' && self.o.a__dash__b == 1 && {'a': [1u, 2u]}['a'][0] == 1u",
      "quantity('1Gi').isGreaterThan(quantity('1Mi')) && ip('::1').isLoopback() && isURL('https://a/b?c=d')",
      "timestamp('2024-01-01T00:00:00Z') < self.t && self.p + duration('1m') > duration('1h') && self.y == b'\\x00\\x01\\x02'",
      "'%d %s %.2f'.format([self.i, self.l, self.d]) != '' && dyn(self.x) == '50%' && type(self.i) == int",
      '[1, 2, 3].exists_one(x, x > 2) && [[1], [2]].flatten() == [1, 2] && sets.contains(self.set, ["item1"])',
      "semver('1.2.3').major() == 1 && cidr('10.0.0.0/8').containsIP('10.1.2.3') && 'abc'.reverse == null || true".replace(
        '.reverse == null',
        ".charAt(1) == 'b'",
      ),
    ],
    words: WORDS,
    stepsPerByte: 1500,
    run: (input) => run(decodeUtf8(input), SMALL),
  },
  {
    name: 'cel-greedy',
    corpus: GREEDY,
    words: WORDS,
    // An evaluation may use its whole budget, whatever the length of its source.
    stepsPerByte: 300_000,
    inputs: 0.002,
    run: (input) => run(decodeUtf8(input), LARGE),
  },
];
