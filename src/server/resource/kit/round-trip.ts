/** A test of the conversions of a declared resource, for its author to run. */

import { toError } from '../../../base/errors.ts';
import { cloneJson, equalJson, getField, isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { convertObject } from '../convert-objects.ts';
import type { ResourceDefinition } from '../resource-definition.ts';
import type { VersionDefinition } from '../version-definition.ts';

/**
 * Converts samples to every served version and back, and returns what is wrong: a sample that comes back different, a
 * conversion that throws, also with one field of spec or status left out, or metadata that changes. Empty if nothing is
 * wrong. A sample is a whole object in one of the versions; fields that its schema does not have are dropped first.
 */
export async function roundTripProblems(
  definition: ResourceDefinition,
  samples: readonly object[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [i, sample] of samples.entries()) {
    const from = definition.versions.find(
      ({ group, version }) => (sample as JsonObject)['apiVersion'] === `${group}/${version}`,
    );
    if (from === undefined) {
      problems.push(
        `sample ${i}: its apiVersion ${JSON.stringify((sample as JsonObject)['apiVersion'])} is not served`,
      );
      continue;
    }
    const whole = prepared(cloneJson(sample as JsonObject), from);
    for (const to of definition.versions) {
      if (to === from) continue;
      const problem = await wholeProblem(definition, whole, from, to);
      if (problem !== undefined) problems.push(`sample ${i}, ${from.version} to ${to.version}: ${problem}`);
      for (const [path, partial] of withoutEachField(whole)) {
        const failure = await conversionFailure(definition, partial, from, to);
        if (failure !== undefined)
          problems.push(`sample ${i} without ${path}, ${from.version} to ${to.version}: ${failure}`);
      }
    }
  }
  return problems;
}

function prepared(object: JsonObject, version: VersionDefinition): JsonObject {
  version.prune?.(object);
  version.setDefaults?.(object);
  return object;
}

async function wholeProblem(
  definition: ResourceDefinition,
  whole: JsonObject,
  from: VersionDefinition,
  to: VersionDefinition,
): Promise<string | undefined> {
  try {
    const there = await convertObject(definition, cloneJson(whole), from, to);
    if (!equalJson(getField(there, 'metadata') ?? {}, getField(whole, 'metadata') ?? {}))
      return 'the conversion changes metadata';
    const back = prepared(await convertObject(definition, there, to, from), from);
    return equalJson(back, whole) ? undefined : `it comes back different: ${firstDifference(whole, back)}`;
  } catch (caught) {
    return toError(caught).message;
  }
}

async function conversionFailure(
  definition: ResourceDefinition,
  object: JsonObject,
  from: VersionDefinition,
  to: VersionDefinition,
): Promise<string | undefined> {
  try {
    await convertObject(definition, object, from, to);
    return undefined;
  } catch (caught) {
    return toError(caught).message;
  }
}

/** Server-side apply converts objects that have only the fields of one manager. */
function* withoutEachField(whole: JsonObject): Iterable<readonly [path: string, object: JsonObject]> {
  for (const part of Object.keys(whole)) {
    if (part === 'apiVersion' || part === 'kind' || part === 'metadata') continue;
    const without = cloneJson(whole);
    delete without[part];
    yield [part, without];
    const fields = whole[part];
    if (!isJsonObject(fields)) continue;
    for (const name of Object.keys(fields)) {
      const partial = cloneJson(whole);
      delete (partial[part] as JsonObject)[name];
      yield [`${part}.${name}`, partial];
    }
  }
}

function firstDifference(before: JsonObject, after: JsonObject, path = ''): string {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [a, b] = [getField(before, name), getField(after, name)];
    const at = path === '' ? name : `${path}.${name}`;
    if (a === undefined) return `${at} was added`;
    if (b === undefined) return `${at} is lost`;
    if (equalJson(a, b)) continue;
    return isJsonObject(a) && isJsonObject(b) ? firstDifference(a, b, at) : `${at} changed`;
  }
  return 'nothing';
}
