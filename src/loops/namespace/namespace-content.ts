/**
 * The deletion of everything in a namespace: pods first, then the other resources. Follows
 * kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go (1.36), except that a resource without
 * objects costs a count in storage instead of three requests.
 */
import { isMethodNotAllowed, isNotFound } from '../../apimachinery/status/status.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import type { Client } from '../../client/api.ts';
import type { UntypedObject } from '../../client/object-types.ts';
import { collectionPath } from '../../client/paths.ts';
import { sendChecked } from '../../client/response.ts';
import { Pod } from '../../kinds/api/core/v1.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { LoopContext } from '../loop.ts';
import type { ServedResource } from '../served-resources.ts';
import type { ContentOutcome, RemainingContent } from './namespace-conditions.ts';

export interface EmptiedNamespace extends ContentOutcome {
  /** The number of objects that remain. */
  readonly left: number;
  /**
   * An estimate of the seconds until the remaining objects are gone. 0 if nothing is left, or if there is no reason to
   * wait.
   */
  readonly estimateSeconds: number;
  /** Whether this server stores all remaining objects, so that their deletions are reported and no timer is needed. */
  readonly reported: boolean;
}

/** The estimate for objects with finalizers, `finalizerEstimateSeconds` of kube-controller-manager. */
const FINALIZER_SECONDS = 15;

interface ResourceOutcome {
  readonly left: number;
  readonly finalizers: ReadonlyMap<string, number>;
  readonly estimateSeconds: number;
  readonly failure: string | undefined;
}

const EMPTY: ResourceOutcome = { left: 0, finalizers: new Map(), estimateSeconds: 0, failure: undefined };

/** Deletes what can be deleted. A failure of one resource does not keep the others from being deleted. */
export async function emptyNamespace(
  { client, served, stored, clock }: LoopContext,
  namespace: string,
  deletedAt: number,
): Promise<EmptiedNamespace> {
  const unavailable = served.unavailable();
  const resources = served.list().filter(({ scope, verbs }) => scope === 'Namespaced' && verbs.includes('delete'));
  const deletion = new Deletion({ client, stored }, namespace, clock.now() - deletedAt);
  const failures: string[] = [];
  const totals = { resources: new Map<string, number>(), finalizers: new Map<string, number>() };
  let left = 0;
  let estimateSeconds = 0;
  let reported = true;
  const add = (resource: ServedResource, outcome: ResourceOutcome): void => {
    if (outcome.failure !== undefined) failures.push(outcome.failure);
    estimateSeconds = Math.max(estimateSeconds, outcome.estimateSeconds);
    if (outcome.left === 0) return;
    left += outcome.left;
    reported &&= resource.stored;
    totals.resources.set(`${resource.plural}.${resource.group}`, outcome.left);
    for (const [name, count] of outcome.finalizers)
      totals.finalizers.set(name, (totals.finalizers.get(name) ?? 0) + count);
  };
  const result = (remaining: RemainingContent | undefined): EmptiedNamespace => ({
    unavailable,
    failures,
    remaining,
    left,
    estimateSeconds,
    reported,
  });

  const pods = resources.find(isPods);
  if (pods !== undefined) {
    add(pods, await deletion.run(pods, true));
    // kube-controller-manager does not count the other objects while it waits for pods, either.
    if (left > 0) return result(undefined);
  }
  for (const resource of resources) if (resource !== pods) add(resource, await deletion.run(resource, false));
  return result(totals);
}

function isPods({ group, plural }: ServedResource): boolean {
  return group === '' && plural === 'pods';
}

/**
 * Deletes the objects of one namespace, one resource per call of `run`. `sinceMs` is the time since the deletion began.
 */
class Deletion {
  readonly #client: Client;
  readonly #stored: LoopContext['stored'];
  readonly #namespace: string;
  readonly #sinceMs: number;

  constructor({ client, stored }: Pick<LoopContext, 'client' | 'stored'>, namespace: string, sinceMs: number) {
    this.#client = client;
    this.#stored = stored;
    this.#namespace = namespace;
    this.#sinceMs = sinceMs;
  }

  async run(resource: ServedResource, isPod: boolean): Promise<ResourceOutcome> {
    if ((await this.#count(resource)) === 0) return EMPTY;
    let estimateSeconds = 0;
    try {
      if (isPod) estimateSeconds = await this.#podEstimate();
      if (!(await this.#deleteCollection(resource))) await this.#deleteEach(resource);
      return await this.#remaining(resource, estimateSeconds);
    } catch (caught) {
      return { ...EMPTY, estimateSeconds, failure: toError(caught).message };
    }
  }

  async #count(resource: ServedResource): Promise<number | undefined> {
    return this.#stored.count(resource, this.#namespace);
  }

  /** Returns the longest grace period, in seconds, of pods that have not ended; 0 once that time is over. */
  async #podEstimate(): Promise<number> {
    let seconds = 0;
    for await (const { spec, status } of this.#client.api(Pod, this.#namespace).list()) {
      if (status?.phase === 'Succeeded' || status?.phase === 'Failed') continue;
      seconds = Math.max(seconds, Number(spec?.terminationGracePeriodSeconds ?? 0));
    }
    return this.#sinceMs >= seconds * 1000 ? 0 : seconds;
  }

  /**
   * Resolves with false if the resource does not support deletecollection. Does not read the response, which lists the
   * deleted objects.
   */
  async #deleteCollection(resource: ServedResource): Promise<boolean> {
    if (!resource.verbs.includes('deletecollection')) return false;
    try {
      await sendChecked(this.#client.transport, {
        method: 'DELETE',
        target: collectionPath(resource, this.#namespace),
        headers: { 'content-type': 'application/json' },
        body: BACKGROUND,
      });
      return true;
    } catch (caught) {
      if (isMethodNotAllowed(caught) || isNotFound(caught)) return false;
      throw caught;
    }
  }

  async #deleteEach(resource: ServedResource): Promise<void> {
    if (!resource.verbs.includes('list')) return;
    const api = this.#client.api(resource as Kind<UntypedObject>, this.#namespace);
    for await (const { metadata } of api.list()) {
      try {
        await api.delete(metadata.name, { propagationPolicy: 'Background' });
      } catch (caught) {
        if (!isNotFound(caught) && !isMethodNotAllowed(caught)) throw caught;
      }
    }
  }

  async #remaining(resource: ServedResource, estimateSeconds: number): Promise<ResourceOutcome> {
    if (!resource.verbs.includes('list')) return { ...EMPTY, estimateSeconds };
    if ((await this.#count(resource)) === 0) return EMPTY;
    const finalizers = new Map<string, number>();
    let left = 0;
    for await (const { metadata } of this.#client.api(resource as Kind<UntypedObject>, this.#namespace).list()) {
      left++;
      for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    if (left === 0) return EMPTY;
    if (estimateSeconds > 0) return { left, finalizers, estimateSeconds, failure: undefined };
    if (finalizers.size > 0) return { left, finalizers, estimateSeconds: FINALIZER_SECONDS, failure: undefined };
    const { group, version, plural } = resource;
    // The message of kube-controller-manager, with Go's format of a GroupVersionResource.
    const failure = `unexpected items still remain in namespace: ${this.#namespace} for gvr: ${group}/${version}, Resource=${plural}`;
    return { left, finalizers, estimateSeconds: 0, failure };
  }
}

const BACKGROUND = encodeUtf8('{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}');
