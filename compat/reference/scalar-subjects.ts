import { compareKubeAwareVersions } from '../../src/apimachinery/meta/version-order.ts';
import { durationFromJson, formatDuration } from '../../src/apimachinery/scalars/duration.ts';
import { formatQuantity } from '../../src/apimachinery/scalars/quantity.ts';
import {
  addQuantity,
  compareQuantity,
  quantityMilliValue,
  quantitySign,
  quantityValue,
  subQuantity,
} from '../../src/apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../src/apimachinery/scalars/quantity-parse.ts';
import { microTimeFromJson, microTimeToJson, timeFromJson, timeToJson } from '../../src/apimachinery/scalars/time.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { repeat, text } from './generate.ts';
import type { Subject } from './subject.ts';

const SUFFIXES = [
  '',
  '',
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-3',
  'e20',
  'E+2',
  'e-12',
  'K',
  'i',
  'e',
  'ki',
  'x',
  ' ',
];

function quantityText(random: Random): string {
  const digits = (most: number): string => repeat(random, most, () => String(random.int(10)));
  const most = random.pick([1, 3, 8, 20, 30]);
  return `${random.pick(['', '', '', '-', '+'])}${digits(most)}${random.pick(['', '', '.'])}${random.int(2) === 0 ? '' : digits(most)}${random.pick(SUFFIXES)}`;
}

function timeText(random: Random): string {
  const two = (below: number): string => String(random.int(below)).padStart(2, '0');
  const fraction = random.pick(['', '', '.5', '.123456', '.1234567', '.000000', ',5', '.']);
  const zone = random.pick(['Z', 'Z', '+01:00', '-07:30', '+24:00', 'z', '', '+0100']);
  const year = random.pick(['2024', '1999', '0001', '9999', '10000', '20']);
  return `${year}-${two(14)}-${two(33)}${random.pick(['T', 'T', 'T', ' ', 't'])}${two(25)}:${two(61)}:${two(61)}${fraction}${zone}`;
}

const SPAN_UNITS = ['h', 'm', 's', 'ms', 'us', 'µs', 'ns', '', 'd', ' s'];

export const scalarSubjects: readonly Subject[] = [
  {
    name: 'quantity',
    ask: (random) => ({ op: 'quantity', text: quantityText(random) }),
    answer: ({ text: asked = '' }) => {
      const result = parseQuantity(asked);
      if (!result.ok) return { ok: false, error: result.message };
      const quantity = result.value;
      return {
        ok: true,
        out: {
          text: formatQuantity(quantity),
          value: String(quantityValue(quantity)),
          milli: String(quantityMilliValue(quantity)),
          sign: quantitySign(quantity),
        },
      };
    },
    known: (_, ours, theirs) => {
      const [mine, other] = [ours.out, theirs.out].map(
        (out) => out as { text: string; value: string; milli: string; sign: number } | undefined,
      );
      if (mine === undefined || other === undefined || mine.text !== other.text || mine.sign !== other.sign)
        return undefined;
      const capped = (text: string): boolean => text === '9223372036854775807' || text === '-9223372036854775808';
      if (capped(mine.milli)) return 'Quantity: integers beyond int64';
      return mine.sign < 0 ? 'Quantity: rounding of negative fractions' : undefined;
    },
  },
  {
    name: 'quantity arithmetic',
    ask: (random) => ({
      op: 'quantity-compare',
      text: `${quantityText(random).trim()} ${quantityText(random).trim()}`,
    }),
    answer: ({ text: asked = '' }) => {
      const [left = '', right = ''] = asked.split(' ');
      const a = parseQuantity(left);
      const b = parseQuantity(right);
      if (!a.ok || !b.ok) return { ok: false, error: 'unparsable' };
      return {
        ok: true,
        out: {
          cmp: compareQuantity(a.value, b.value),
          sum: formatQuantity(addQuantity(a.value, b.value)),
          diff: formatQuantity(subQuantity(a.value, b.value)),
        },
      };
    },
  },
  {
    name: 'time',
    ask: (random) => ({
      op: 'time',
      doc: random.int(30) === 0 ? random.pick(['null', '1', '""', '{}']) : JSON.stringify(timeText(random)),
    }),
    answer: ({ doc = '' }) => {
      const result = timeFromJson(JSON.parse(doc));
      return result.ok ? { ok: true, out: timeToJson(result.value) } : { ok: false, error: result.message };
    },
  },
  {
    name: 'micro time',
    ask: (random) => ({ op: 'micro-time', doc: JSON.stringify(timeText(random)) }),
    answer: ({ doc = '' }) => {
      const result = microTimeFromJson(JSON.parse(doc));
      return result.ok ? { ok: true, out: microTimeToJson(result.value) } : { ok: false, error: result.message };
    },
  },
  {
    name: 'duration',
    ask: (random) => ({
      op: 'duration',
      doc: JSON.stringify(
        `${random.pick(['', '', '-', '+'])}${repeat(random, 3, () => `${random.int(3) === 0 ? text(random, '0123456789.', 12) : random.int(1000)}${random.pick(SPAN_UNITS)}`)}`,
      ),
    }),
    answer: ({ doc = '' }) => {
      const result = durationFromJson(JSON.parse(doc));
      return result.ok
        ? { ok: true, out: { text: formatDuration(result.value), nanos: String(result.value) } }
        : { ok: false, error: result.message };
    },
  },
  {
    name: 'version order',
    ask: (random) => {
      const version = (): string =>
        random.int(4) === 0
          ? text(random, 'valphbet01', 8).replaceAll(' ', '')
          : `v${random.int(12)}${random.pick(['', '', 'alpha', 'beta'])}${random.pick(['', String(random.int(12))])}`;
      return { op: 'version-compare', text: `${version()} ${version()}` };
    },
    // Only the sign is compared.
    answer: ({ text: asked = '' }) => {
      const at = asked.indexOf(' ');
      return { ok: true, out: Math.sign(compareKubeAwareVersions(asked.slice(0, at), asked.slice(at + 1))) };
    },
  },
];
