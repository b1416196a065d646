/**
 * The dispatcher of a plugin's webhooks or policies: finds those for a request and hands them on.
 * Invariants: a configuration counts from the request after its write was answered. The index of hooks is made once per
 * change. A request that no hook is for costs one lookup and allocates nothing.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import { type Candidate, type IndexedHook, MatchIndex } from './match-index.ts';

export interface HookDispatcherOptions<H extends IndexedHook> {
  /** The configurations. They start at the first request. */
  readonly listers: readonly Lister[];
  /** Compiles the hooks, in the order in which they are called. Called after changes of a lister. */
  hooks(): readonly H[];
  /** Whether requests like this one are left out, whatever the rules of hooks say. */
  isExempt(attributes: AdmissionAttributes): boolean;
  /** Called with at least one hook. Rejects with the StatusError of a refusal. */
  dispatch(attributes: AdmissionAttributes, candidates: readonly Candidate<H>[]): Promise<void>;
}

export class HookDispatcher<H extends IndexedHook> {
  readonly #options: HookDispatcherOptions<H>;
  #index: MatchIndex<H> | undefined;

  constructor(options: HookDispatcherOptions<H>) {
    this.#options = options;
    for (const lister of options.listers)
      lister.subscribe(() => {
        this.#index = undefined;
      });
  }

  /** Makes no promise if no hook is for the request and the listers are fresh, as they usually are. */
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
    this.#index ??= new MatchIndex(this.#options.hooks());
    const candidates = this.#index.candidates(attributes);
    if (candidates.length === 0 || this.#options.isExempt(attributes)) return undefined;
    return this.#options.dispatch(attributes, candidates);
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
