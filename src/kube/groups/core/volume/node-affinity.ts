/** The nodes of a PersistentVolume once it is stored. Invariant: a label that was renamed may take its new name; nothing else changes. */
import { objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';

const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

export function isSameNodeAffinity(next: JsonObject | undefined, old: JsonObject): boolean {
  if (next === undefined) return false;
  const [selector, was] = [objectAt(next, 'required'), objectAt(old, 'required')];
  if (selector === undefined || was === undefined) return selector === was;
  return isSameList(objectsAt(selector, 'nodeSelectorTerms'), objectsAt(was, 'nodeSelectorTerms'), (term, before) =>
    ['matchExpressions', 'matchFields'].every((name) =>
      isSameList(objectsAt(term, name), objectsAt(before, name), isSameRequirement),
    ),
  );
}

function isSameRequirement(next: JsonObject, old: JsonObject): boolean {
  const key = textAt(next, 'key');
  const before = textAt(old, 'key');
  // To the reference every other label has the empty name as its new one.
  return equalJson(next, (RENAMED[before] ?? '') === key ? { ...old, key } : old);
}

function isSameList(
  a: readonly JsonObject[],
  b: readonly JsonObject[],
  same: (a: JsonObject, b: JsonObject) => boolean,
): boolean {
  return a.length === b.length && a.every((item, i) => same(item, b[i] as JsonObject));
}
