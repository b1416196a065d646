/** Generated questions about ownership of replicas between a resource and its Scale, and our answers. */
import type { Path } from '../../src/apimachinery/field-set/path-element.ts';
import { parentEntriesOf, scaleEntriesOf } from '../../src/apimachinery/managed-fields/scale-handler.ts';
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';
import type { Random } from '../../test/fuzz/random.ts';

const PATHS: Readonly<Record<string, string[] | null>> = {
  'apps/v1': ['spec', 'replicas'],
  'apps/v2': ['spec', 'deep', 'replicas'],
  'apps/v3': null,
};

export function randomScaleQuestion(random: Random): JsonObject {
  const versions = ['apps/v1', 'apps/v2', 'apps/v3', 'apps/v4'];
  return {
    parent: entries(random, versions),
    scale: entries(random, ['autoscaling/v1']),
    version: random.pick(['apps/v1', 'apps/v2']),
    paths: PATHS as JsonObject,
  };
}

function entries(random: Random, versions: readonly string[]): JsonValue[] {
  return Array.from({ length: random.int(4) }, () => {
    const apiVersion = random.pick(versions);
    const replicas = random.pick<JsonObject>([
      { 'f:replicas': {} },
      { 'f:deep': { 'f:replicas': {} } },
      { 'f:text': {} },
    ]);
    const operation = random.pick(['Apply', 'Update']);
    return {
      manager: random.pick(['a', 'b']),
      operation,
      apiVersion,
      ...(random.int(3) === 0 ? {} : { time: `2001-01-01T00:00:0${random.int(3)}Z` }),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': random.int(3) === 0 ? { ...replicas, 'f:other': {} } : replicas },
      ...(random.int(2) === 0 ? {} : { subresource: 'scale' }),
    };
  });
}

export function scaleAnswer({ parent, scale, version }: JsonObject): JsonObject | string {
  const options = {
    parentEntries: parent,
    apiVersion: version as string,
    paths: new Map<string, Path | null>(Object.entries(PATHS)),
  };
  const [down, up] = [scaleEntriesOf(options), parentEntriesOf(options, scale)];
  if (!down.ok) return down.message;
  return up.ok ? { scale: down.entries ?? null, parent: up.entries ?? null } : up.message;
}
