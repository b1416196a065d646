/** The lists and watches of a reflector over a Transport. */
import type { HttpHeaders, Transport } from '../apimachinery/http/transport.ts';
import { formatGroupVersion } from '../apimachinery/meta/gvk.ts';
import type { Kind } from '../kinds/kind.ts';
import { type ObjectCompleter, type ObjectDecoder, objectCompleter, objectDecoder } from './decode-object.ts';
import { readPage } from './list-page.ts';
import type { ListWatchSource, SourceCall } from './list-watch-source.ts';
import type { Stored } from './object-types.ts';
import { collectionPath, listTarget, watchTarget } from './paths.ts';
import { FieldsSharing } from './share-fields.ts';
import { openWatch } from './watch-stream.ts';

export interface TransportSourceOptions<T> {
  readonly transport: Transport;
  readonly kind: Kind<T>;
  /** undefined for a cluster-scoped kind and for all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly metadataOnly: boolean;
}

const JSON_TYPE = 'application/json';

/**
 * Creates the source. If a server does not support PartialObjectMetadata and answers with whole objects, they are
 * reduced here. Equal `fieldsV1` values share one frozen value. Throws a BadRequest for a namespace that is not valid
 * in a path.
 */
export function transportSource<T>(options: TransportSourceOptions<T>): ListWatchSource<Stored<T>> {
  const { transport, kind, namespace, labelSelector, fieldSelector, metadataOnly } = options;
  const path = collectionPath(kind, namespace);
  const resource = { group: kind.group, resource: kind.plural };
  const selected = { labelSelector, fieldSelector };
  const accept = {
    list: metadataOnly ? `${partial('PartialObjectMetadataList')},${JSON_TYPE}` : JSON_TYPE,
    watch: metadataOnly ? `${partial('PartialObjectMetadata')},${JSON_TYPE}` : JSON_TYPE,
  };
  const reduce = metadataOnly ? metadataReducer(kind) : undefined;
  const complete = objectCompleter(kind);
  const fields = new FieldsSharing();
  const decode = objectDecoder(kind);
  const decodeEvent: ObjectDecoder<Stored<T>> = reduce === undefined ? decode : (bytes) => reduce(decode(bytes));
  const completeItem: ObjectCompleter<Stored<T>> = reduce === undefined ? complete : (value) => reduce(complete(value));
  return {
    async list({ resourceVersion, limit, continueToken }, call) {
      const target = listTarget(path, { ...selected, resourceVersion, limit, continueToken });
      const headers: HttpHeaders = { accept: accept.list };
      const page = await readPage(
        observed(transport, call),
        { method: 'GET', target, headers, signal: call.signal, resource },
        completeItem,
        fields,
      );
      return { items: page.items, resourceVersion: page.resourceVersion, continueToken: page.continueToken };
    },
    watch({ resourceVersion, sendInitialEvents, timeoutSeconds }, { signal, onAlive, onEvents }) {
      const target = watchTarget(path, { ...selected, resourceVersion, sendInitialEvents, timeoutSeconds });
      return openWatch(transport, {
        target,
        accept: accept.watch,
        decode: decodeEvent,
        complete: completeItem,
        fields,
        signal,
        resource,
        onOpen: onAlive,
        onEvents,
      });
    },
  };
}

function partial(kind: string): string {
  return `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1`;
}

function metadataReducer<T>(kind: Kind<T>): (object: Stored<T>) => Stored<T> {
  const apiVersion = formatGroupVersion(kind);
  return ({ metadata }) => ({ apiVersion, kind: kind.kind, metadata }) as unknown as Stored<T>;
}

/** Calls `onAlive` for each part of a response. */
function observed(transport: Transport, { onAlive }: SourceCall): Transport {
  return async (request) => {
    const response = await transport(request);
    onAlive();
    return response.body instanceof Uint8Array ? response : { ...response, body: observedBody(response.body, onAlive) };
  };
}

async function* observedBody(body: AsyncIterable<Uint8Array>, onAlive: () => void): AsyncIterable<Uint8Array> {
  for await (const chunk of body) {
    onAlive();
    yield chunk;
  }
}
