/**
 * The plugin LimitRanger. It sets default requests and limits from the LimitRanges of the namespace, and refuses pods
 * and claims outside of their limits. Of pods it checks only create and resize, so a new LimitRange does not block
 * updates of existing pods.
 */

import { refusal } from '../../../admission/refusal.ts';
import { formatAggregate } from '../../../apimachinery/go-format.ts';
import { isTerminating } from '../../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { createNamespaceIndex, type NamespaceIndex } from '../namespace-index.ts';
import { setContainerDefaults } from './container-defaults.ts';
import { claimProblems, podProblems } from './limit-problems.ts';

export function limitRanger(limitRanges: Lister): AdmissionPlugin {
  const index = createNamespaceIndex(limitRanges);
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
        if (problems.length > 0) throw refusal(attributes, formatAggregate(problems));
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
