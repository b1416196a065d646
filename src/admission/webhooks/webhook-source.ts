/**
 * The webhooks of all configurations of a kind, as an index for requests.
 * Invariant: a configuration counts from the request after its write was answered. It is compiled once per change.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Lister } from '../../server/own/lister.ts';
import { MatchIndex } from '../matching/match-index.ts';
import { type Webhook, webhooksOf } from './webhook.ts';

export class WebhookSource {
  readonly #lister: Lister;
  readonly #compiled = new WeakMap<JsonObject, readonly Webhook[]>();
  #index: MatchIndex<Webhook> | undefined;

  /** The lister starts at the first request. */
  constructor(lister: Lister) {
    this.#lister = lister;
    lister.subscribe(() => {
      this.#index = undefined;
    });
  }

  /** Returns the index of the present configurations. Usually synchronous. */
  current(): MaybePromise<MatchIndex<Webhook>> {
    const fresh = this.#lister.fresh();
    return isPromise(fresh) ? fresh.then(() => this.#made()) : this.#made();
  }

  #made(): MatchIndex<Webhook> {
    // The lister orders configurations by name.
    this.#index ??= new MatchIndex(this.#lister.list().flatMap((configuration) => this.#webhooksOf(configuration)));
    return this.#index;
  }

  #webhooksOf(configuration: JsonObject): readonly Webhook[] {
    let webhooks = this.#compiled.get(configuration);
    if (webhooks === undefined) {
      webhooks = webhooksOf(configuration);
      this.#compiled.set(configuration, webhooks);
    }
    return webhooks;
  }
}
