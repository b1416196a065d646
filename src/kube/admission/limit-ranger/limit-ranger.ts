/**
 * The plugin LimitRanger. It sets default requests and limits from the LimitRanges of the namespace, and refuses pods
 * and claims outside of their limits. Of pods it checks only create and resize, so a new LimitRange does not block
 * updates of existing pods.
 * Another server may just have written a LimitRange. So in a namespace that has none, the first request catches up with
 * the storage, and further ones do so after 30 seconds, as the reference reads from etcd then.
 */

import { refusal } from '../../../admission/refusal.ts';
import { formatAggregate } from '../../../apimachinery/go-format.ts';
import { isTerminating } from '../../../apimachinery/meta/meta.ts';
import { toError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { LruMap } from '../../../base/lru-map.ts';
import { andThen, isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { createNamespaceIndex, type NamespaceIndex } from '../namespace-index.ts';
import { setContainerDefaults } from './container-defaults.ts';
import { claimProblems, podProblems } from './limit-problems.ts';

/**
 * The time for which a namespace counts as one without LimitRanges, and the number of namespaces that are kept, as in
 * the reference.
 */
const LOOKUP_TTL_MS = 30_000;
const MAX_LOOKUPS = 10_000;

/** `now`: the time in milliseconds. */
export function limitRanger(limitRanges: Lister, now: () => number): AdmissionPlugin {
  const index = createNamespaceIndex(limitRanges);
  const ranges = new CurrentRanges(index, now);
  return {
    name: 'LimitRanger',
    resources: ['pods', 'persistentvolumeclaims'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) => {
      if (attributes.resource.resource !== 'pods') return undefined;
      return forEachRange(ranges, attributes, (range, pod) => setContainerDefaults(range, pod));
    },
    validate: (attributes) =>
      forEachRange(ranges, attributes, (range, object) => {
        const problems =
          attributes.resource.resource === 'pods' ? podProblems(range, object) : claimProblems(range, object);
        if (problems.length > 0) throw refusal(attributes, formatAggregate(problems));
      }),
  };
}

function forEachRange(
  ranges: CurrentRanges,
  attributes: AdmissionAttributes,
  use: (range: JsonObject, object: JsonObject) => void,
): MaybePromise<void> {
  const { object, oldObject } = attributes;
  if (object === undefined || !isLimited(attributes)) return undefined;
  if (oldObject !== undefined && isTerminating(oldObject)) return undefined;
  return andThen(ranges.in(attributes.namespace), (found) => {
    for (const range of found) use(range, object);
  });
}

/** The LimitRanges of a namespace. Most namespaces have none, and an embedded store needs no lookup. */
class CurrentRanges {
  readonly #index: NamespaceIndex;
  readonly #now: () => number;
  /** The lookups that run, and the times until which the others count, by namespace. */
  readonly #lookups = new LruMap<string, Promise<void> | number>(MAX_LOOKUPS);

  constructor(index: NamespaceIndex, now: () => number) {
    this.#index = index;
    this.#now = now;
  }

  in(namespace: string): MaybePromise<readonly JsonObject[]> {
    return andThen(this.#index.fresh(), () => {
      const found = this.#index.in(namespace);
      return found.length > 0 ? found : andThen(this.#lookUp(namespace), () => this.#index.in(namespace));
    });
  }

  #lookUp(namespace: string): MaybePromise<void> {
    const known = this.#lookups.get(namespace);
    if (known !== undefined && (typeof known !== 'number' || this.#now() < known))
      return typeof known === 'number' ? undefined : known;
    const running = this.#index.current();
    if (!isPromise(running)) return undefined;
    const lookup = running.then(
      () => this.#lookups.set(namespace, this.#now() + LOOKUP_TTL_MS),
      (caught: unknown) => {
        this.#lookups.take(namespace);
        throw toError(caught);
      },
    );
    this.#lookups.set(namespace, lookup);
    return lookup;
  }
}

function isLimited({ resource, operation, subresource }: AdmissionAttributes): boolean {
  if (resource.resource !== 'pods') return subresource === '';
  return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
}
