/**
 * The dispatcher of a plugin's hooks, which are its webhooks or policies: finds those that match a request and passes
 * them to the plugin.
 * Invariants: a configuration applies to every request that begins after its write was answered. The index of hooks is
 * made once per change. A request that matches no hook costs one lookup and allocates nothing.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import { type Candidate, type IndexedHook, MatchIndex } from './match-index.ts';

/**
 * Hooks that are not called for a request. `api`: those of API objects, because such a hook could prevent its own
 * removal. `all`: all hooks.
 */
export type Exemption = 'api' | 'all';

export interface ManifestHooks<H extends IndexedHook> {
  /** Compiles the hooks, in the order in which they are called. Called after changes. */
  hooks(): readonly H[];
  /** Calls the listener after each change. */
  onChange(listener: () => void): void;
}

export interface HookDispatcherOptions<H extends IndexedHook> {
  /** The listers of the configurations. They start at the first request. */
  readonly listers: readonly Lister[];
  /** Compiles the hooks, in the order in which they are called. Called after changes of a lister. */
  hooks(): readonly H[];
  /** The hooks of manifest files, which are called before all others. Default: there are none. */
  readonly manifests?: ManifestHooks<H> | undefined;
  /** Returns which hooks are left out for a request, whatever their rules say; undefined for none. */
  exemptionOf(attributes: AdmissionAttributes): Exemption | undefined;
  /** Called with at least one hook. Rejects with the StatusError of a refusal. */
  dispatch(attributes: AdmissionAttributes, candidates: readonly Candidate<H>[]): Promise<void>;
}

export class HookDispatcher<H extends IndexedHook> {
  readonly #options: HookDispatcherOptions<H>;
  #index: MatchIndex<H> | undefined;
  /** The number of hooks of manifest files. They have the first positions of the index. */
  #manifestCount = 0;

  constructor(options: HookDispatcherOptions<H>) {
    this.#options = options;
    const changed = (): void => {
      this.#index = undefined;
    };
    for (const lister of options.listers) lister.subscribe(changed);
    options.manifests?.onChange(changed);
  }

  /**
   * Dispatches a request. Returns no promise if the request matches no hook and the listers are fresh, as they usually
   * are.
   */
  run(attributes: AdmissionAttributes): MaybePromise<void> {
    const { listers } = this.#options;
    for (let i = 0; i < listers.length; i++) {
      const fresh = (listers[i] as Lister).fresh();
      if (isPromise(fresh)) return this.#runLater(attributes, fresh, listers.slice(i + 1));
    }
    return this.#runNow(attributes);
  }

  async #runLater(attributes: AdmissionAttributes, first: Promise<void>, others: readonly Lister[]): Promise<void> {
    await Promise.all([first, ...others.map((lister) => lister.fresh())]);
    await this.#runNow(attributes);
  }

  #runNow(attributes: AdmissionAttributes): MaybePromise<void> {
    this.#index ??= this.#compile();
    const candidates = this.#index.candidates(attributes);
    if (candidates.length === 0) return undefined;
    const exemption = this.#options.exemptionOf(attributes);
    if (exemption === undefined) return this.#options.dispatch(attributes, candidates);
    if (exemption === 'all') return undefined;
    const manifests = candidates.filter(({ position }) => position < this.#manifestCount);
    return manifests.length === 0 ? undefined : this.#options.dispatch(attributes, manifests);
  }

  #compile(): MatchIndex<H> {
    const manifests = this.#options.manifests?.hooks() ?? [];
    this.#manifestCount = manifests.length;
    return new MatchIndex([...manifests, ...this.#options.hooks()]);
  }
}

/** Returns a function that compiles an object of a lister once, until the object changes. */
export function compiledOnce<T>(compile: (object: JsonObject) => T): (object: JsonObject) => T {
  const known = new WeakMap<JsonObject, T>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const compiled = compile(object);
    known.set(object, compiled);
    return compiled;
  };
}
