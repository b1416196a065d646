/**
 * LimitRanger: containers that ask for nothing get what the namespace gives by default, and nobody asks for more, or less, than it allows. Invariant: of a pod only its creation
 * and its resize are looked at, so that limits that came later do not hold up what is there.
 */

import { refusal } from '../../../admission/refusal.ts';
import { isTerminating } from '../../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { NamespaceIndex } from '../namespace-index.ts';
import { setContainerDefaults } from './container-defaults.ts';
import { claimProblems, podProblems } from './limit-problems.ts';

export function limitRanger(limitRanges: Lister): AdmissionPlugin {
  const index = new NamespaceIndex(limitRanges);
  return {
    name: 'LimitRanger',
    resources: ['pods', 'persistentvolumeclaims'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) => {
      if (attributes.resource.resource !== 'pods') return undefined;
      return forEachRange(index, attributes, (range, pod) => setContainerDefaults(range, pod));
    },
    validate: (attributes) =>
      forEachRange(index, attributes, (range, object) => {
        const problems =
          attributes.resource.resource === 'pods' ? podProblems(range, object) : claimProblems(range, object);
        if (problems.length > 0) throw refusal(attributes, aggregate(problems));
      }),
  };
}

function forEachRange(
  index: NamespaceIndex,
  attributes: AdmissionAttributes,
  use: (range: JsonObject, object: JsonObject) => void,
): MaybePromise<void> {
  const { object, oldObject } = attributes;
  if (object === undefined || !isLimited(attributes)) return undefined;
  if (oldObject !== undefined && isTerminating(oldObject)) return undefined;
  return andThen(index.fresh(), () => {
    for (const range of index.in(attributes.namespace)) use(range, object);
  });
}

function isLimited({ resource, operation, subresource }: AdmissionAttributes): boolean {
  if (resource.resource !== 'pods') return subresource === '';
  return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
}

/** Several problems as one text; the same text is said once. */
function aggregate(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}
