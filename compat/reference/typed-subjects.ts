/** Documents of built-in kinds with values of wrong types, and the message of the typed decoder about the first. */
import { findTypeMismatch } from '../../src/apimachinery/codec/type-mismatch.ts';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { readJson } from '../../src/base/json-read.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { type FactBook, viewOfFacts } from './facts-view.ts';
import { structOf } from './generate.ts';
import type { Subject } from './subject.ts';

const KINDS = ['Pod', 'Deployment', 'Service', 'ConfigMap', 'Secret', 'Event', 'Node', 'PersistentVolume'];
const views = new Map<string, StructView>();

export const WRONG: readonly JsonValue[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  256,
  2147483648,
  -2147483649,
  9007199254740993n,
  1e21,
  '',
  'x',
  '10',
  '1x',
  ' 1 ',
  '1\n',
  '1mm',
  '\u00a01',
  '\ufeff1',
  '1Ki',
  'YQ==',
  'YQ=',
  'YQ',
  'YQ=\n=\nx',
  'Y=Q=',
  'YWJj\né',
  '5s',
  '2024-02-29T12:00:00Z',
  '2024-02-30T12:00:00Z',
  '2024-02-29T12:00:00.123456Z',
  {},
  { a: 1 },
  { name: 5 },
  { name: { x: 'y' }, key: [] },
  [],
  [1, 2],
  [1, 'x', 300],
  ['a', 1],
  [{}],
  [{ name: true }],
  [[]],
];

export type Slot = readonly [holder: JsonObject | JsonArray, key: string | number];

export function slotsOf(root: JsonObject): Slot[] {
  const slots: Slot[] = [];
  const collect = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) return;
    const keys: readonly (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    for (const key of keys) {
      slots.push([value, key]);
      collect((value as JsonObject)[key] as JsonValue);
    }
  };
  collect(root);
  return slots;
}

function damagedDocument(view: StructView, random: Random): JsonValue {
  if (random.int(200) === 0) return random.pick(WRONG);
  const document = structOf(view, random, random.pick([0.1, 0.2, 0.3]));
  const slots = slotsOf(document);
  for (let left = random.pick([0, 1, 1, 1, 2, 3]); left > 0 && slots.length > 0; left--) {
    const [holder, key] = random.pick(slots);
    (holder as JsonObject)[key] = random.pick(WRONG);
  }
  return document;
}

export const typedSubjects: readonly Subject[] = [
  {
    name: 'typed decoding',
    async prepare(oracle) {
      const books = await oracle.ask(KINDS.map((kind) => ({ op: 'facts', kind })));
      KINDS.forEach((kind, i) => {
        views.set(kind, viewOfFacts(JSON.parse(books[i]?.out ?? 'null') as FactBook));
      });
    },
    ask: (random) => {
      const kind = random.pick(KINDS);
      return { op: 'typed', kind, doc: writeJson(damagedDocument(views.get(kind) as StructView, random)) };
    },
    answer: ({ kind = '', doc = '' }) => {
      const read = readJson(doc);
      if (!read.ok) throw new Error('a generated question is not JSON');
      const error = findTypeMismatch(read.value, views.get(kind) as StructView);
      return error === undefined ? { ok: true } : { ok: false, error };
    },
  },
];
