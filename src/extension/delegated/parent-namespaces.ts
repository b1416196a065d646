/**
 * The namespaces of the parent, for admission. They come from an informer. A name that the informer does not have is
 * read from the parent, because the namespace may be newer than the informer.
 */

import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Client } from '../../client/api.ts';
import type { InformerSet } from '../../client/informer.ts';
import { Namespace } from '../../kinds/api/core/v1.ts';
import type { NamespaceReader } from '../../server/endpoints/endpoint.ts';
import { withoutManagedFields } from './informer-lister.ts';
import { SharedResults } from './shared-results.ts';

export interface ParentNamespaces {
  readonly read: NamespaceReader;
  /** Returns the reason why the namespaces are not known yet; undefined if they are known. */
  problem(): string | undefined;
}

/** The informer belongs to the set, which the caller starts and stops. */
export function parentNamespaces(client: Client, informers: InformerSet, clock: Clock): ParentNamespaces {
  const informer = informers.informer(Namespace, { transform: withoutManagedFields });
  const missing = new SharedResults<JsonObject | undefined>({ clock, limit: 1, lifetimeMs: () => 0 });
  return {
    read: (name) =>
      (informer.store.get(name) as JsonObject | undefined) ??
      missing.get(name, async () => (await client.api(Namespace).find(name)) as JsonObject | undefined),
    problem: () => {
      if (informer.hasSynced) return undefined;
      return informer.lastFailure?.message ?? 'the namespaces of the parent have not been listed yet';
    },
  };
}
