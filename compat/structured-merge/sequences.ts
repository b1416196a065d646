/**
 * Sequences of applies and updates by several managers on one object: generated with our code, replayed by the
 * reference.
 */
import { managedFieldsOf, setManagedFields } from '../../src/apimachinery/managed-fields/object-managed-fields.ts';
import { formatGroupVersion } from '../../src/apimachinery/meta/gvk.ts';
import { formatTime } from '../../src/apimachinery/scalars/time.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { fieldManagerOf, type ManagedKind } from './managed-kinds.ts';
import { mutate, randomConfig } from './random-object.ts';

export interface Step {
  readonly op: 'apply' | 'update';
  readonly version: string;
  readonly subresource: string;
  readonly manager: string;
  readonly force: boolean;
  readonly object: JsonObject;
}

/** After a step: the object, or the refusal in the oracle's form. */
export interface StepResult {
  readonly object?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly causes: readonly string[] };
}

export interface Sequence {
  readonly kind: ManagedKind;
  readonly steps: readonly Step[];
  readonly results: readonly StepResult[];
}

const MANAGERS = ['alpha', 'beta', 'gamma', 'kubectl', 'kubectl', ''];

export function randomSequence(random: Random, kind: ManagedKind): Sequence {
  const steps: Step[] = [];
  const results: StepResult[] = [];
  let live: JsonObject | undefined;
  // Some sequences have more updaters than the bound.
  const crowd = random.int(8) === 0;
  const length = crowd ? 16 : 2 + random.int(7);
  while (steps.length < length) {
    const step = randomStep(random, kind, live, crowd ? `m${steps.length}` : undefined);
    const result = runStep(kind, step, live, steps.length);
    steps.push(step);
    results.push(result);
    live = result.object ?? live;
  }
  return { kind, steps, results };
}

function randomStep(
  random: Random,
  kind: ManagedKind,
  live: JsonObject | undefined,
  updater: string | undefined,
): Step {
  const version = random.pick(kind.versions);
  const apiVersion = formatGroupVersion({ group: kind.group, version });
  const subresource = live !== undefined && random.int(5) === 0 ? 'status' : '';
  const isApply = updater === undefined ? random.int(5) < 3 : random.int(6) === 0;
  const manager = updater ?? random.pick(MANAGERS);
  if (isApply) {
    const object: JsonObject = { apiVersion, kind: kind.kind, ...randomConfig(random, kind.kind, version) };
    if (random.int(60) === 0) Object.assign(object['metadata'] as JsonObject, { managedFields: [] });
    if (random.int(60) === 0) object['kind'] = 'Other';
    return { op: 'apply', version, subresource, manager, force: random.int(3) === 0, object };
  }
  const current = live === undefined ? undefined : inVersion(kind, live, apiVersion);
  const object = mutate(
    random,
    current ?? { apiVersion, kind: kind.kind, ...randomConfig(random, kind.kind, version) },
    kind.kind,
    version,
  );
  setManagedFields(object, randomManagedFields(random, managedFieldsOf(object)));
  const normalized = kind.normalize(object);
  return {
    op: 'update',
    version,
    subresource,
    manager,
    force: false,
    object:
      typeof normalized === 'string' ? (kind.normalize({ apiVersion, kind: kind.kind }) as JsonObject) : normalized,
  };
}

/** Mostly what the client read or nothing, sometimes a reset or entries that cannot be read. */
function randomManagedFields(random: Random, read: JsonValue | undefined): JsonValue[] | undefined {
  const entries = Array.isArray(read) ? cloneJson(read) : undefined;
  switch (random.int(14)) {
    case 0:
      return [];
    case 1:
      return [{}];
    case 2:
      return [{ manager: 'x', operation: 'Other', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }];
    case 3:
      return [
        {
          manager: 'x',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:b': {}, 'f:a': {} },
        },
      ];
    case 4:
      return entries?.slice(1);
    case 5:
      return entries?.toReversed();
    case 6:
    case 7:
    case 8:
      return undefined;
    default:
      return entries;
  }
}

function inVersion(kind: ManagedKind, object: JsonObject, apiVersion: string): JsonObject {
  return object['apiVersion'] === apiVersion ? cloneJson(object) : kind.convert(object, apiVersion);
}

/** One step by our code, with what a server does around it: normalization and a uid. */
export function runStep(kind: ManagedKind, step: Step, live: JsonObject | undefined, index: number): StepResult {
  const manager = fieldManagerOf(kind, step.version, step.subresource);
  const apiVersion = formatGroupVersion({ group: kind.group, version: step.version });
  const current = live === undefined ? undefined : inVersion(kind, live, apiVersion);
  const context = { manager: step.manager, now: formatTime({ seconds: 1_000_000_000 + index, nanos: 0 }) };
  const given = cloneJson(step.object);
  if (step.op === 'update') {
    const outcome = manager.update(current, given, context);
    if (outcome instanceof Promise) throw new Error('conversions are synchronous here');
    return { object: settled(given) };
  }
  let outcome: ReturnType<typeof manager.apply>;
  try {
    outcome = manager.apply(current, given, { ...context, force: step.force });
  } catch (error) {
    return { error: { code: 500, message: (error as Error).message, causes: [] } };
  }
  if (outcome instanceof Promise) throw new Error('conversions are synchronous here');
  if (!outcome.ok) {
    const { code = 500, message = '', details } = outcome.status;
    const causes = (details?.causes ?? []).map((cause) => `${cause.reason} ${cause.message} ${cause.field}`);
    return { error: { code, message, causes } };
  }
  const normalized = kind.normalize(cloneJson(outcome.object));
  if (typeof normalized === 'string') return { error: { code: 500, message: normalized, causes: [] } };
  return { object: settled(normalized) };
}

function settled(object: JsonObject): JsonObject {
  const { metadata } = object;
  object['metadata'] = isJsonObject(metadata) ? { ...metadata, uid: 'u' } : { uid: 'u' };
  return object;
}

/** The question for the oracle. */
export function sequenceQuestion({ kind, steps }: Sequence): string {
  const { group, custom } = kind;
  return writeJson({ group, kind: kind.kind, custom, steps: steps as unknown as JsonValue[] });
}
