import { applyJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import type { PatchResult } from '../../src/apimachinery/patch/patch-error.ts';
import { deploymentView, podView, serviceView } from '../../src/apimachinery/patch/strategic-merge.fixtures.ts';
import { applyStrategicMergePatch } from '../../src/apimachinery/patch/strategic-merge.ts';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { readJson } from '../../src/base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { jsonObject, jsonValue, structOf } from './generate.ts';
import type { OurAnswer, Subject } from './subject.ts';

const VIEWS: Readonly<Record<string, StructView>> = { Pod: podView, Deployment: deploymentView, Service: serviceView };

function read(json: string | undefined): JsonValue {
  const result = readJson(json ?? 'null');
  if (!result.ok) throw new Error(`a generated question is not JSON: ${json}`);
  return result.value;
}

function answered(result: PatchResult<JsonValue>): OurAnswer {
  return result.ok ? { ok: true, out: result.value } : { ok: false, error: result.error.message };
}

function pointer(random: Random): string {
  return Array.from(
    { length: random.int(4) },
    () => `/${random.pick(['a', 'b', 'c', '0', '1', '2', '-', '-1', 'a~1b', '~0', ''])}`,
  ).join('');
}

function operation(random: Random): JsonObject {
  const op = random.pick(['add', 'add', 'remove', 'replace', 'move', 'copy', 'test', 'test', 'bogus']);
  const made: JsonObject = { op, path: pointer(random) };
  if (op === 'move' || op === 'copy') made['from'] = pointer(random);
  else if (op !== 'remove' && random.int(20) > 0) made['value'] = jsonValue(random, 2);
  if (random.int(40) === 0) delete made['path'];
  return made;
}

/** Turns part of a patch into directives of strategic merge, valid and invalid ones. */
function withDirectives(patch: JsonObject, random: Random): JsonObject {
  for (const [key, value] of Object.entries(patch)) {
    if (Array.isArray(value)) {
      if (random.int(6) === 0)
        patch[`$setElementOrder/${key}`] = value.map((item) =>
          isJsonObject(item) ? { name: item['name'] ?? 'a', ip: item['ip'] ?? 'a' } : item,
        );
      if (random.int(8) === 0)
        patch[`$deleteFromPrimitiveList/${key}`] = value.filter((item) => typeof item === 'string');
      for (const item of value) {
        if (!isJsonObject(item)) continue;
        if (random.int(8) === 0) item['$patch'] = random.pick(['delete', 'replace', 'merge', 'bogus']);
        withDirectives(item, random);
      }
    } else if (isJsonObject(value)) {
      if (random.int(12) === 0) value['$patch'] = random.pick(['delete', 'replace', 'merge', 'bogus']);
      if (random.int(12) === 0) value['$retainKeys'] = Object.keys(value).slice(0, random.int(3));
      withDirectives(value, random);
    } else if (random.int(15) === 0) patch[key] = null;
  }
  return patch;
}

export const patchSubjects: readonly Subject[] = [
  {
    name: 'JSON patch',
    ask: (random) => ({
      op: 'json-patch',
      doc: writeJson(jsonObject(random, 3)),
      patch: writeJson(Array.from({ length: 1 + random.int(3) }, () => operation(random))),
    }),
    answer: ({ doc, patch }) => answered(applyJsonPatch(read(doc), read(patch))),
    known: (_, ours, theirs) => (!ours.ok && theirs.error?.startsWith('panic: ') ? 'JSON patch: panics' : undefined),
  },
  {
    name: 'merge patch',
    ask: (random) => ({
      op: 'merge-patch',
      doc: writeJson(jsonObject(random, 3)),
      patch: writeJson(random.int(20) === 0 ? jsonValue(random, 1) : jsonObject(random, 3)),
    }),
    answer: ({ doc, patch }) => answered(applyMergePatch(read(doc) as JsonObject, read(patch))),
    compareErrors: false,
  },
  {
    name: 'strategic merge patch',
    ask: (random) => {
      const kind = random.pick(Object.keys(VIEWS));
      const view = VIEWS[kind] as StructView;
      return {
        op: 'strategic',
        kind,
        doc: writeJson(structOf(view, random, 0.45)),
        patch: writeJson(withDirectives(structOf(view, random, 0.35), random)),
      };
    },
    answer: ({ kind = '', doc, patch }) =>
      answered(applyStrategicMergePatch(read(doc) as JsonObject, read(patch), VIEWS[kind] as StructView)),
    // The reference visits the fields of a patch in Go's random map order: with two errors, it reports either.
    compareErrors: false,
    known: (_, _ours, theirs) =>
      theirs.list?.includes('unstable') ? 'Strategic merge patch: order of fields' : undefined,
  },
];
