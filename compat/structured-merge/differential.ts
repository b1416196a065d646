/**
 * Compares our field manager with the reference's over generated sequences, and merge types with those of the
 * reference.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mergeTypeOf } from '../../src/apimachinery/apply/view-type.ts';
import { formatJson } from '../../src/apimachinery/go-format.ts';
import { readJson } from '../../src/base/json-read.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { kindView } from '../../src/kinds/views.ts';
import { createRandom } from '../../test/fuzz/random.ts';
import type { Oracle } from '../reference/oracle.ts';
import { TypeComparison } from './compare-types.ts';
import { DEFINITION, GROUP, KIND } from './definition.ts';
import { customViews, KINDS } from './managed-kinds.ts';
import { RecordedSchema } from './merge-schema.ts';
import { randomScaleQuestion, scaleAnswer } from './scale.ts';
import { randomSequence, type Sequence, type StepResult, sequenceQuestion } from './sequences.ts';

const KUBERNETES = 'k8s.io/kubernetes@v1.36.3';

/** Loads the merge types of the reference and compares ours with them. */
export async function compareTypes(oracle: Oracle, folder: string): Promise<TypeComparison> {
  const comparison = new TypeComparison();
  const builtin = await askJson(oracle, { op: 'managed-types', text: openApiDocuments(folder).join('\n') });
  compareSchema(comparison, builtin as JsonObject, (group, version, kind) => builtinView(group, version, kind));
  const custom = await askJson(oracle, { op: 'managed-definition', doc: writeJson(DEFINITION) });
  compareSchema(comparison, custom as JsonObject, (group, version, kind) =>
    group === GROUP && kind === KIND ? customViews.get(`${group}/${version}`) : undefined,
  );
  return comparison;
}

function openApiDocuments(folder: string): string[] {
  const text = execFileSync('go', ['mod', 'download', '-json', KUBERNETES], { cwd: folder, encoding: 'utf8' });
  const documents = join((JSON.parse(text) as { Dir: string }).Dir, 'api', 'openapi-spec', 'v3');
  return readdirSync(documents)
    .filter((name) => /__v\d/.test(name) && name.endsWith('.json'))
    .map((name) => join(documents, name));
}

function builtinView(group: string, version: string, kind: string): ReturnType<typeof kindView> | undefined {
  try {
    return kindView(group, version, kind);
  } catch {
    // Kinds of alpha versions that we do not serve.
    return undefined;
  }
}

function compareSchema(comparison: TypeComparison, answer: JsonObject, viewAt: typeof builtinView): void {
  const schema = new RecordedSchema(answer['types'] as JsonObject[]);
  for (const { type, kind: gvk } of answer['kinds'] as { type: string; kind: Record<string, string> }[]) {
    const { group = '', version = '', kind = '' } = gvk;
    const view = viewAt(group, version, kind);
    if (view !== undefined) comparison.compare(mergeTypeOf(view), schema.typeOf({ named: type }), type);
  }
}

async function askJson(oracle: Oracle, question: Parameters<Oracle['ask']>[0][number]): Promise<JsonValue> {
  const [answer] = await oracle.ask([question]);
  const read = answer?.out === undefined ? undefined : readJson(answer.out);
  if (read?.ok !== true) throw new Error(`${question.op}: ${answer?.error ?? 'not JSON'}`);
  return read.value;
}

export interface SequenceReport {
  steps: number;
  refused: number;
  conflicts: number;
  failures: string[];
}

/**
 * Runs `count` sequences from a seed. A failure tells the seed of its sequence, which runs alone with `--seed S
 * --sequences 1`.
 */
export async function compareSequences(oracle: Oracle, seed: number, count: number): Promise<SequenceReport> {
  const report: SequenceReport = { steps: 0, refused: 0, conflicts: 0, failures: [] };
  for (let i = 0; i < count; i++) {
    const random = createRandom(seed + i);
    const sequence = randomSequence(random, KINDS[(seed + i) % KINDS.length] as (typeof KINDS)[number]);
    const theirs = (await askJson(oracle, { op: 'managed-sequence', doc: sequenceQuestion(sequence) })) as JsonObject[];
    const difference = compareSequence(sequence, theirs, report);
    if (difference !== undefined) report.failures.push(`seed ${seed + i}, ${sequence.kind.kind}: ${difference}`);
  }
  return report;
}

/** The first step that differs: later ones follow from it. */
function compareSequence(
  { steps, results }: Sequence,
  theirs: readonly JsonObject[],
  report: SequenceReport,
): string | undefined {
  for (const [i, ours] of results.entries()) {
    report.steps++;
    if (ours.error !== undefined) report.refused++;
    if (ours.error?.code === 409) report.conflicts++;
    const difference = compareStep(ours, theirs[i] as JsonObject);
    if (difference !== undefined) return `step ${i} ${writeJson(steps[i] as unknown as JsonValue)}\n${difference}`;
  }
  return undefined;
}

function compareStep(ours: StepResult, theirs: JsonObject): string | undefined {
  const error = theirs['error'] as JsonObject | undefined;
  if (ours.object === undefined || error !== undefined) return compareRefusals(ours, error);
  const [mine, other] = [split(ours.object), split(theirs['object'] as JsonObject)];
  if (mine.managedFields !== other.managedFields)
    return `  managedFields ours\n  ${mine.managedFields}\n  theirs\n  ${other.managedFields}`;
  if (!equalJson(mine.object, other.object))
    return `  object ours\n  ${writeJson(mine.object)}\n  theirs\n  ${writeJson(other.object)}`;
  return undefined;
}

/**
 * Conflicts and bad requests agree in words. Where the reference answers 500 (a configuration that does not have its
 * type), we refuse too.
 */
function compareRefusals({ error: ours }: StepResult, theirs: JsonObject | undefined): string | undefined {
  if (ours === undefined || theirs === undefined)
    return ours === undefined
      ? `  only theirs refuses: ${writeJson(theirs ?? null)}`
      : `  only ours refuses: ${ours.message}`;
  if (theirs['code'] === 500) return undefined;
  const mine = { code: ours.code, message: ours.message, causes: [...ours.causes].sort() };
  const other = { ...theirs, causes: [...((theirs['causes'] ?? []) as string[])].sort() };
  return equalJson(mine, other) ? undefined : `  ours ${writeJson(mine)}\n  theirs ${writeJson(other)}`;
}

/**
 * Entries are compared as text, so that the order of keys in FieldsV1 counts. The reference writes custom resources
 * from maps, which have the order of their keys; those are compared by value.
 */
function split(object: JsonObject): { readonly object: JsonObject; readonly managedFields: string } {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return { object, managedFields: '' };
  const { managedFields, ...rest } = metadata;
  return {
    object: { ...object, metadata: rest },
    managedFields:
      managedFields === undefined ? '' : object['kind'] === KIND ? formatJson(managedFields) : writeJson(managedFields),
  };
}

/** Compares the ownership of replicas between resources and their Scales; returns what differs. */
export async function compareScales(oracle: Oracle, seed: number, count: number): Promise<string[]> {
  const random = createRandom(seed);
  const questions = Array.from({ length: count }, () => randomScaleQuestion(random));
  const failures: string[] = [];
  for (const question of questions) {
    const theirs = await askJson(oracle, { op: 'managed-scale', doc: writeJson(question) });
    const ours = scaleAnswer(question);
    // Entries of one identity leave a Go map in random order.
    if (formatScale(ours) !== formatScale(theirs))
      failures.push(`${writeJson(question)}\n  ours ${formatScale(ours)}\n  theirs ${formatScale(theirs)}`);
  }
  return failures;
}

function formatScale(answer: JsonValue): string {
  if (!isJsonObject(answer)) return String(answer);
  const entries = (value: JsonValue | undefined): string[] =>
    Array.isArray(value) ? value.map((entry) => formatJson(entry)).sort() : [];
  return writeJson({ scale: entries(answer['scale']), parent: entries(answer['parent']) });
}
