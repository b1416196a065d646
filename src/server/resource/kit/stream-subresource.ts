/** Streams as subresources: a GET with an upgrade connects the client's WebSocket with the handler. */
import { isStatusError, StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, methodNotAllowed } from '../../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Answer, WebSocketPeer } from '../../http/exchange.ts';
import { parseObject } from '../../registry/stored-object.ts';
import type { RegistryHost } from '../registry-host.ts';
import type { SubresourceDefinition } from '../resource-definition.ts';
import type { ConnectRequest, ResourceContext, ResourceStore } from '../resource-store.ts';
import { HookRequest } from './hook-context.ts';
import type { KitVersion } from './kit-version.ts';
import type { ResourceStream, StreamOptions } from './stream.ts';

/** The code of RFC 6455, 7.4.1 for a failure of the server. */
const INTERNAL_ERROR = 1011;
/** A reason of a close frame has at most 123 bytes. */
const REASON_CHARACTERS = 40;

export function streamSubresource(
  name: string,
  stream: ResourceStream<JsonObject>,
  hub: KitVersion,
): SubresourceDefinition {
  const options = typeof stream === 'function' ? { connect: stream } : stream;
  const { description } = options;
  return {
    name,
    ...(description === undefined ? undefined : { description }),
    store: (parent, host) => ({
      connect: (context, request) => connect({ ...options, parent, host }, { ...context, version: hub }, request),
      connectMethods: ['GET'],
      connectOptions: { requiresCreate: options.requiresCreate === true },
    }),
  };
}

interface OpenStream extends StreamOptions<JsonObject> {
  readonly parent: ResourceStore;
  readonly host: RegistryHost;
}

async function connect(options: OpenStream, context: ResourceContext, { incoming }: ConnectRequest): Promise<Answer> {
  const { parent } = options;
  const { group, kind } = context.version;
  if (parent.get === undefined) throw new StatusError(methodNotAllowed({ group, resource: kind.toLowerCase() }, 'get'));
  if (incoming.header('upgrade')?.toLowerCase() !== 'websocket')
    throw new StatusError(badRequest('you must specify an upgrade to websocket'));
  const object = parseObject(await parent.get(context, { resourceVersion: '' }), context.name);
  return {
    kind: 'websocket',
    headers: {},
    protocols: options.protocols ?? [],
    start: (socket) => serve(options, object, socket, context),
  };
}

/** The signal of the context ends with the socket. */
class StreamRequest extends HookRequest {
  readonly #controller = new AbortController();

  constructor(context: ResourceContext, socket: WebSocketPeer) {
    super(context, false);
    socket.onClose(() => this.#controller.abort());
  }

  override get signal(): AbortSignal {
    return this.#controller.signal;
  }
}

async function serve(
  { connect: handler, host }: OpenStream,
  object: JsonObject,
  socket: WebSocketPeer,
  context: ResourceContext,
): Promise<void> {
  try {
    await handler(object, socket, new StreamRequest(context, socket));
  } catch (caught) {
    const error = toError(caught);
    if (!isStatusError(error)) host.onTrouble(error);
    socket.close(INTERNAL_ERROR, error.message.slice(0, REASON_CHARACTERS));
  }
}
