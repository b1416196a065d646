import { formatYamlDuplicates, readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { decodeMessage } from '../../src/apimachinery/protobuf/decode.ts';
import { encodeMessage } from '../../src/apimachinery/protobuf/encode.ts';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { readJson } from '../../src/base/json-read.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { mutate } from '../../test/fuzz/mutate.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { type FactBook, viewOfFacts } from './facts-view.ts';
import { jsonObject, jsonValue, structOf } from './generate.ts';
import { generatedViews } from './generated-views.ts';
import { roundTripSubjects } from './round-trip-subjects.ts';
import type { Subject } from './subject.ts';
import { typedSubjects } from './typed-subjects.ts';

const KINDS = [
  'Pod',
  'Deployment',
  'Service',
  'ConfigMap',
  'Secret',
  'Event',
  'Node',
  'PersistentVolume',
  'ControllerRevision',
];
const views = new Map<string, StructView>();

const JSON_WORDS = [
  '"',
  '\\u00e9',
  '\\ud83d\\udea2',
  '\\ud800',
  ',"a":1',
  '[1,2]',
  '1e3',
  '-0',
  '1.0',
  '12345678901234567890',
  '9007199254740993',
  'null',
  ' ',
  '{}',
].map((word) => Buffer.from(word));

function jsonBytes(random: Random): Buffer {
  const good = Buffer.from(writeJson(jsonValue(random, 4), { escapeHtml: false }));
  return random.int(3) === 0 ? mutate([good], JSON_WORDS, random) : good;
}

const YAML_SCALARS = [
  'yes',
  'No',
  'ON',
  'off',
  'y',
  'n',
  'true',
  'True',
  '~',
  'null',
  'Null',
  '',
  '0',
  '-1',
  '+1',
  '017',
  '0o17',
  '0x1F',
  '0b11',
  '1_000',
  '1.5',
  '1e3',
  '.5',
  '5.',
  '1.5e+3',
  '190:20:30',
  '2001-01-01',
  '2001-12-14t21:59:43.10-05:00',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '-9223372036854775808',
  'text',
  'a b',
  '"quoted"',
  "'single'",
  '"\\u00e9\\n"',
  '!!str 1',
  '!!int "3"',
  '!!float 1',
  '!!bool yes',
  '!!binary aGVsbG8=',
  '- not',
  '=',
  '<<',
  '0.1',
  '1e400',
  '.inf',
  '.NaN',
  '-.INF',
  '0777',
  '08',
  '1__0',
  '_1',
  '+.5',
  '0x',
  '#no',
];

const YAML_WORDS = [
  '&x ',
  '*x',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\u0085',
  '\u2028',
  '\ufeff',
  ': ',
  '- ',
  '? ',
  '{',
  '}',
  '[',
  ']',
  ', ',
  '|\n',
  '|+2\n',
  '>-\n',
  '>\n',
  '#',
  ' # ',
  '"',
  "'",
  '\\\n',
  '\\x41',
  '\\/',
  '!',
  '! ',
  '!!str ',
  '!<tag:yaml.org,2002:int> ',
  '!!%73tr ',
  '%TAG ! tag:yaml.org,2002:\n---\n',
  '%YAML 1.1\n---\n',
  '---\n',
  '...\n',
  '<<: ',
  '<<: *x\n',
  'a: &x {b: 1}\n',
  '  ',
  '@',
  '`',
].map((word) => Buffer.from(word));

/** JSON text, which YAML reads in almost the same way. */
function jsonAsYaml(random: Random): string {
  const text = writeJson(jsonObject(random, 3), { escapeHtml: false });
  return random.int(2) === 0
    ? text
    : text.replaceAll(/[:,{}]/g, (c) => random.pick([c, `${c} `, `${c}\n`, `${c}\n\t`, ` ${c}`, `\n${c}`]));
}

function yamlText(random: Random): string {
  const scalar = (): string => random.pick(YAML_SCALARS);
  const key = (): string => random.pick(['a', 'b', 'c', '"d"', '1', 'yes', '1.5', '~', 'a b', '?']);
  const block = (indent: string, depth: number): string => {
    const count = 1 + random.int(3);
    const inner = (): string =>
      depth > 0 && random.int(3) === 0
        ? `\n${block(`${indent}  `, depth - 1)}`
        : ` ${depth > 0 && random.int(6) === 0 ? `[${scalar()}, ${scalar()}]` : scalar()}\n`;
    return random.int(3) === 0
      ? Array.from({ length: count }, () => `${indent}-${inner()}`).join('')
      : Array.from({ length: count }, () => `${indent}${key()}:${inner()}`).join('');
  };
  const text = random.int(10) === 0 ? jsonAsYaml(random) : block('', 2);
  return random.int(3) === 0 ? mutate([Buffer.from(text)], YAML_WORDS, random).toString('utf8') : text;
}

export const codecSubjects: readonly Subject[] = [
  {
    name: 'JSON',
    ask: (random) => ({ op: 'json', text: jsonBytes(random).toString('base64') }),
    answer: ({ text = '' }) => {
      const result = readJson(Buffer.from(text, 'base64'), { duplicates: 'report' });
      if (!result.ok) return { ok: false, error: result.error.message };
      return { ok: true, out: result.value, list: result.duplicates.map((path) => `duplicate field "${path}"`) };
    },
  },
  {
    name: 'YAML',
    ask: (random) => ({ op: 'yaml', text: yamlText(random) }),
    answer: ({ text = '' }) => {
      const result = readYaml(text);
      if (!result.ok) return { ok: false, error: result.error.message };
      const { duplicates } = result;
      return { ok: true, out: result.value, list: duplicates.length === 0 ? [] : [formatYamlDuplicates(duplicates)] };
    },
    known: ({ text = '' }, _, theirs) => {
      if (theirs.list?.includes('unstable')) return 'YAML: order of keys';
      if (text.includes('\ufeff', 1)) return 'YAML: byte order mark';
      return undefined;
    },
  },
  {
    name: 'protobuf',
    async prepare(oracle) {
      const books = await oracle.ask(KINDS.map((kind) => ({ op: 'facts', kind })));
      KINDS.forEach((kind, i) => {
        views.set(kind, viewOfFacts(JSON.parse(books[i]?.out ?? 'null') as FactBook));
      });
      for (const [kind, view] of generatedViews()) views.set(kind, view);
    },
    ask: (random) => {
      const kind = random.pick([...views.keys()]);
      return {
        op: 'protobuf',
        kind,
        doc: writeJson(structOf(views.get(kind) as StructView, random, random.pick([0.05, 0.15, 0.3]))),
      };
    },
    answer: ({ kind = '', doc = '' }) => {
      const view = views.get(kind) as StructView;
      const read = readJson(doc);
      if (!read.ok) throw new Error('a generated question is not JSON');
      const encoded = encodeMessage(view, read.value as JsonObject);
      if (!encoded.ok) return { ok: false, error: encoded.error.message };
      const decoded = decodeMessage(view, encoded.bytes);
      if (!decoded.ok) return { ok: false, error: decoded.error.message };
      return { ok: true, out: { bytes: Buffer.from(encoded.bytes).toString('base64'), json: decoded.value } };
    },
    compareErrors: false,
  },
  ...typedSubjects,
  ...roundTripSubjects,
];
