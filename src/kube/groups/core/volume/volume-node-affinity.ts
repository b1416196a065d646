/** Comparison of a PersistentVolume's node affinity with the stored one. */
import { objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';

/** Deprecated node labels and the labels that replace them. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** Whether the affinity is unchanged, except that deprecated labels may be replaced by their successors. */
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
  // As in kube-apiserver, any other label may be replaced by the empty key.
  return equalJson(next, (RENAMED[before] ?? '') === key ? { ...old, key } : old);
}

function isSameList(
  a: readonly JsonObject[],
  b: readonly JsonObject[],
  same: (a: JsonObject, b: JsonObject) => boolean,
): boolean {
  return a.length === b.length && a.every((item, i) => same(item, b[i] as JsonObject));
}
