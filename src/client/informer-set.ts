/**
 * The informers of a program.
 * Invariant: there is one informer per kind, namespace, selectors, transform and metadataOnly. It lives until the set
 * stops.
 */
import { systemClock } from '../base/clock.ts';
import { BugError } from '../base/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Informer, InformerFailure, InformerOptions, InformerSet, InformerSetOptions } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';
import { transportSource } from './transport-source.ts';

/** The objects that an informer covers. Informers with equal scopes and the same transform are shared. */
interface InformerScope {
  readonly namespace: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly metadataOnly: boolean;
}

interface Held {
  readonly informer: SharedInformer<unknown>;
  readonly transform: unknown;
  /** The index functions by name. */
  readonly indexes: Map<string, unknown>;
}

/** Creates a set of informers that list and watch over one transport. Nothing is sent before `start`. */
export function createInformerSet(options: InformerSetOptions): InformerSet {
  return new Informers(options);
}

class Informers implements InformerSet {
  readonly #options: InformerSetOptions;
  readonly #held = new Map<string, Held[]>();
  #started = false;
  #stopping: Promise<void> | undefined;

  constructor(options: InformerSetOptions) {
    this.#options = options;
  }

  informer<T>(kind: Kind<T>, options: InformerOptions<T> = {}): Informer<T> {
    if (this.#stopping !== undefined) throw new BugError('the informers have stopped');
    const { namespace, labelSelector = '', fieldSelector = '', metadataOnly = false, transform } = options;
    if (namespace !== undefined && kind.scope === 'Cluster')
      throw new BugError(`${kind.kind} is cluster-scoped: an informer of it has no namespace`);
    const scope: InformerScope = { namespace, labelSelector, fieldSelector, metadataOnly };
    const key = JSON.stringify([kind.group, kind.version, kind.plural, scope]);
    const sharers = this.#held.get(key) ?? [];
    const found = sharers.find((held) => held.transform === transform);
    if (found !== undefined) {
      addIndexes(found, options);
      return found.informer as unknown as Informer<T>;
    }
    const informer = this.#create(kind, scope, options);
    this.#held.set(key, [
      ...sharers,
      {
        informer: informer as unknown as SharedInformer<unknown>,
        transform,
        indexes: new Map(Object.entries(options.indexes ?? {})),
      },
    ]);
    if (this.#started) informer.start();
    return informer;
  }

  start(): void {
    if (this.#stopping !== undefined) return;
    this.#started = true;
    for (const informer of this.#informers()) informer.start();
  }

  async synced(): Promise<void> {
    await Promise.all(this.#informers().map((informer) => informer.synced));
  }

  stop(): Promise<void> {
    this.#stopping ??= Promise.all(this.#informers().map((informer) => informer.stop())).then(() => undefined);
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #informers(): readonly SharedInformer<unknown>[] {
    return [...this.#held.values()].flat().map(({ informer }) => informer);
  }

  #create<T>(kind: Kind<T>, scope: InformerScope, options: InformerOptions<T>): SharedInformer<T> {
    const { transport, clock = systemClock, random = Math.random, listWatch } = this.#options;
    return new SharedInformer<T>({
      kind,
      source: transportSource({ transport, kind, ...scope }),
      clock,
      random,
      onFailure: (error, source) => this.#report(error, { kind, namespace: scope.namespace, source }),
      ...(options.transform === undefined ? {} : { transform: options.transform }),
      ...(options.resyncMs === undefined ? {} : { resyncMs: options.resyncMs }),
      ...(options.indexes === undefined ? {} : { indexes: options.indexes }),
      ...(listWatch === undefined ? {} : { listWatch }),
    });
  }

  /**
   * Reports a failure. If the callback throws, the error becomes an uncaught error, so that it does not interrupt the
   * protocol.
   */
  #report(error: Error, failure: InformerFailure): void {
    try {
      this.#options.onFailure?.(error, failure);
    } catch (caught) {
      queueMicrotask(() => {
        throw caught;
      });
    }
  }
}

function addIndexes<T>(held: Held, { indexes = {} }: InformerOptions<T>): void {
  for (const [name, index] of Object.entries(indexes)) {
    if (held.indexes.get(name) === index) continue;
    held.informer.addIndex(name, index as never);
    held.indexes.set(name, index);
  }
}
