/** CEL expressions of rules: compile errors, estimated costs, values, actual costs. */
import { readJson } from '../../src/base/json-read.ts';
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { formatBound } from '../../src/cel/cost/cost-range.ts';
import { estimateCost } from '../../src/cel/cost/estimate.ts';
import type { Environment, Program, SizeHints } from '../../src/cel/environment.ts';
import { formatIssues } from '../../src/cel/issues.ts';
import {
  REFERENCE_EVALUATIONS,
  REFERENCE_SCHEMA,
  REFERENCE_VALUE,
} from '../../src/cel/reference-evaluations.fixtures.ts';
import { formatLiteral } from '../../src/cel/runtime/format-value.ts';
import { CelError } from '../../src/cel/values.ts';
import { adapterOf } from '../../src/schema/rules/adapt-value.ts';
import type { Adapter } from '../../src/schema/rules/adapter.ts';
import { declaredType } from '../../src/schema/rules/declared-type.ts';
import { ruleEnvironment, sizeHints } from '../../src/schema/rules/rule-program.ts';
import { withObjectMeta } from '../../src/schema/rules/with-object-meta.ts';
import { parseStructural } from '../../src/schema/structural/parse-structural.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { celExpression } from './cel-generate.ts';
import type { Question } from './oracle.ts';
import type { OurAnswer, Subject } from './subject.ts';

const LIMITS: JsonObject = { string: { maxLength: 20 }, array: { maxItems: 7 }, object: { maxProperties: 5 } };

/** The same schema with limits, so that estimates are finite. */
function limited(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties: values } = schema;
  const isMap = values !== undefined;
  const limits = schema['type'] === 'object' && !isMap ? {} : LIMITS[String(schema['type'])];
  return {
    ...schema,
    ...(limits as JsonObject | undefined),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties as JsonObject).map(([name, part]) => [name, limited(part as JsonObject)]),
          ),
        }),
    ...(items === undefined ? {} : { items: limited(items as JsonObject) }),
    ...(isMap ? { additionalProperties: limited(values as JsonObject) } : {}),
  };
}

const SCHEMAS = [writeJson(REFERENCE_SCHEMA), writeJson(limited(REFERENCE_SCHEMA))];
/** Maps have one entry: the reference walks larger ones in random order, and the cost of a search depends on it. */
const OBJECT = writeJson({ ...REFERENCE_VALUE, m: { k: 'v' }, mi: { one: 1 } });

interface Scope {
  readonly environment: Environment;
  readonly hints: SizeHints;
  readonly adapt: Adapter;
}

const scopes = new Map<string, Scope>();

function read(text: string): JsonValue {
  const result = readJson(text);
  if (!result.ok) throw new Error('a question is not JSON');
  return result.value;
}

function scopeOf(schemaText: string): Scope {
  let scope = scopes.get(schemaText);
  if (scope === undefined) {
    const parsed = parseStructural(read(schemaText) as JsonObject);
    const declared = parsed.ok ? declaredType(parsed.schema, true, 'selfType') : undefined;
    if (!parsed.ok || declared === undefined) throw new Error('a schema of the questions is not structural');
    scope = {
      environment: ruleEnvironment().extend({ variables: [{ name: 'self', type: declared.type }] }),
      hints: sizeHints(declared),
      adapt: adapterOf(withObjectMeta(parsed.schema)),
    };
    scopes.set(schemaText, scope);
  }
  return scope;
}

function answer({ text = '', doc = '', patch = '' }: Question): OurAnswer {
  const { environment, hints, adapt } = scopeOf(doc);
  const result = environment.check(text);
  if (!result.ok) return { ok: false, error: `compile: ${formatIssues(text, result.issues)}`, list: [] };
  const { min, max } = estimateCost(result.checked, hints);
  const list = [`estimate ${formatBound(min)} to ${formatBound(max)}`];
  let program: Program;
  try {
    program = environment.program(result.checked);
  } catch (caught) {
    if (!(caught instanceof CelError)) throw caught;
    return { ok: false, error: `program: ${caught.message}`, list };
  }
  const outcome = program.run([adapt(read(patch))]);
  list.push(`cost ${outcome.cost}`);
  if ('error' in outcome) return { ok: false, error: outcome.error.message, list };
  return { ok: true, out: formatLiteral(outcome.value), list };
}

function ask(text: string, random: Random): Question {
  return { op: 'cel', text, doc: random.pick(SCHEMAS), patch: OBJECT };
}

const BOUND = /\d{17,}/g;
const LEADING_DOT = /(^|[\s(,[+!=<>?:-])\.\s*\w/;

function known({ text = '' }: Question, ours: OurAnswer, theirs: OurAnswer): string | undefined {
  // After a syntax error, the reference's parser recovers in its own way.
  if (ours.error?.includes('Syntax error') === true && theirs.error?.includes('Syntax error') === true)
    return 'what is told after a syntax error';
  if (theirs.error?.startsWith('internal error: interface conversion') === true) return 'panics of the reference';
  if (placesOf(ours) !== '' && placesOf(ours) === placesOf(theirs)) return 'words of a few issues at the same places';
  if (LEADING_DOT.test(text)) return 'variables of macros with a leading dot';
  if (theirs.error === 'no such overload' && text.includes('dyn('))
    return 'lists and objects of the request compared with something else';
  const [theirTexts, ourTexts] = [rounded(theirs), rounded(ours)];
  if (theirTexts.rest !== ourTexts.rest) return undefined;
  if (theirTexts.cost === ourTexts.cost) return 'bounds beyond 2^53';
  return ours.ok ? undefined : 'what an evaluation has cost that fails';
}

/** Returns the positions of the issues of a source that does not compile, otherwise ''. */
function placesOf({ error = '' }: OurAnswer): string {
  return error.startsWith('compile: ') ? (error.match(/ERROR: <input>:\d+:\d+/g) ?? []).join() : '';
}

/** Bounds beyond 2^53 are not exact here. */
function rounded({ ok, out, error, list = [] }: OurAnswer): {
  readonly rest: string;
  readonly cost: string | undefined;
} {
  const [estimate, cost] = list;
  const bounds = estimate?.replace(BOUND, (digits) => Number(digits).toPrecision(12));
  return { rest: JSON.stringify({ ok, out, error, bounds }), cost };
}

/** Returns the text with a small part removed, repeated or replaced. */
function damaged(whole: string, random: Random): string {
  const text = Array.from(whole);
  const at = random.int(text.length);
  const [before, after] = [text.slice(0, at).join(''), text.slice(at).join('')];
  switch (random.int(3)) {
    case 0:
      return before + text.slice(at + 1 + random.int(3)).join('');
    case 1:
      return before + random.pick(['(', ')', '.', ' ', '[', ']', '"', '?', '!', '1', 'x', '+']) + after;
    default:
      return before + celExpression(random) + after;
  }
}

export const celSubjects: readonly Subject[] = [
  { name: 'cel', ask: (random) => ask(celExpression(random), random), answer, known },
  {
    name: 'cel-written',
    ask: (random) => ask(random.pick(REFERENCE_EVALUATIONS)[0], random),
    answer,
    known,
  },
  {
    name: 'cel-damaged',
    ask: (random) => {
      const text = random.int(2) === 0 ? celExpression(random) : random.pick(REFERENCE_EVALUATIONS)[0];
      return ask(damaged(text, random), random);
    },
    answer,
    known,
  },
];
