/** Creates clients: Apis of kinds over one transport. */
import { MAX_FRAME_BYTES } from '../apimachinery/codec/framing.ts';
import type { Transport } from '../apimachinery/http/transport.ts';
import { BugError } from '../base/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Api, Client, Collection } from './api.ts';
import { type ClientContext, ObjectApi } from './object-api.ts';
import { MAX_RESPONSE_BYTES } from './response.ts';

export interface ClientOptions {
  /** The most bytes of one response; a larger response is a TransportError. Default 256 MiB. */
  readonly maxResponseBytes?: number;
  /** The most bytes of one watch event; a larger event is a TransportError. Default 16 MiB, as in client-go. */
  readonly maxWatchEventBytes?: number;
  /** Called with the warnings of calls that have no `onWarning`. Default: warnings are dropped. */
  readonly onWarning?: (text: string) => void;
}

/** Creates a client. It opens no connection: the transport connects when it is called. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const context: ClientContext = {
    transport,
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    maxWatchEventBytes: options.maxWatchEventBytes ?? MAX_FRAME_BYTES,
    onWarning: options.onWarning,
  };
  return {
    transport,
    api: <T>(kind: Kind<T>, namespace?: string): Api<T> => {
      if ((namespace === undefined) !== (kind.scope === 'Cluster'))
        throw new BugError(
          kind.scope === 'Cluster'
            ? `${kind.kind} is cluster-scoped: its Api takes no namespace`
            : `${kind.kind} is namespaced: its Api needs a namespace; use all() for every namespace`,
        );
      return new ObjectApi(context, kind, namespace);
    },
    all: <T>(kind: Kind<T>): Collection<T> => new ObjectApi(context, kind, undefined),
  };
}
