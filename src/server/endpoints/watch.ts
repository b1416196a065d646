/**
 * Watches of a collection or of one object. A request is refused with a Status before the stream begins; a later
 * failure is an ERROR event.
 */

import { PROTOBUF_MEDIA_TYPE } from '../../apimachinery/codec/negotiation.ts';
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { methodNotAllowed } from '../../apimachinery/status/status-catalogue.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../http/exchange.ts';
import { contentHeaders } from '../http/respond.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { listOptionsOf } from './decode/decode-list-options.ts';
import type { AnswerForm } from './encode/answer-form.ts';
import { notAcceptableForm } from './encode/not-acceptable.ts';
import { withoutFrame } from './encode/protobuf-writer.ts';
import { readTableOptions } from './encode/table.ts';
import { collectionContext, type EndpointHost, type RequestScope, readContext } from './endpoint.ts';
import { withColumns } from './watch/watch-encoding.ts';
import { WatchStream, webSocketOutput } from './watch/watch-stream.ts';
import { isWebSocket, offeredProtocols, webSocketRefusal } from './watch/web-socket.ts';

export function watchObjects(host: EndpointHost, scope: RequestScope, request: ServerRequest): MaybePromise<Answer> {
  const form = scope.forms.of(request, true);
  const given = listOptionsOf(scope, request);
  // A path below `/watch/` has no `watch` parameter, but the store must see the options of a watch.
  const options = given.watch ? given : { ...given, watch: true };
  const { store, bodyVersion } = scope;
  if (store.watch === undefined) throw new StatusError(methodNotAllowed(scope.groupResource, 'watch'));
  const { includeObject } =
    form.shape === 'Table' ? readTableOptions(request.info.params) : { includeObject: 'Metadata' as const };
  if (form.streamMediaType === undefined) throw new StatusError(scope.forms.streamRefusal());
  if (form.shape === 'PartialObjectMetadataList')
    throw new StatusError(notAcceptableForm(form.shape, 'not a list', bodyVersion));

  const socket = isWebSocket(request);
  const refusal = socket ? webSocketRefusal(request) : undefined;
  if (refusal !== undefined) return refusal;

  const metrics = host.onWatchEvents;
  const seconds = timeoutOf(host, options);
  const stream = new WatchStream({
    deadline: host.clock.monotonic() + seconds * 1000,
    bookmarks: options.allowWatchBookmarks && seconds > LAST_BOOKMARK_SECONDS,
    watches: host.watches,
    errorEvent: (status) => scope.encodings.errorEvent(status, form),
    firstEvent: form.shape === 'Table' ? (event) => withColumns(event, bodyVersion) : undefined,
    onEvents: metrics === undefined ? undefined : (count, bytes) => metrics(scope.resource, count, bytes),
  });
  const encoding = scope.encodings.of(form, includeObject);
  const context = readContext(collectionContext(scope, request), form);
  const started = store.watch(context, { options, encoding }, stream);
  return andThen(started, (watch) => {
    stream.hold(watch);
    // The timeout is over already: no event is sent.
    if (seconds < 0) stream.drain();
    return socket ? webSocketAnswer(request, form, stream) : streamAnswer(form, stream);
  });
}

/** The reference sends its last bookmark this long before the end, so shorter watches have none. */
const LAST_BOOKMARK_SECONDS = 2;

/**
 * Returns the timeout in seconds: that of the client, or a random one, so that clients do not reconnect at the same
 * time.
 */
function timeoutOf(host: EndpointHost, options: ListOptions): number {
  const asked = Number(options.timeoutSeconds ?? 0);
  return asked !== 0 ? asked : host.minRequestTimeoutSeconds * (1 + host.random());
}

function streamAnswer(form: AnswerForm, stream: WatchStream): Answer {
  return {
    kind: 'stream',
    status: 200,
    headers: contentHeaders(contentTypeOf(form)),
    start: (sink) => stream.start(sink),
  };
}

/** JSON has no streaming media type in the header, as in the reference. */
function contentTypeOf(form: AnswerForm): string {
  return form.mediaType === 'application/json' ? form.mediaType : (form.streamMediaType as string);
}

/**
 * Returns the conversion of an event to a WebSocket message, which needs no length prefix. Only JSON is sent as text.
 */
function messageOf({ mediaType }: AnswerForm): (event: Uint8Array) => Uint8Array | string {
  if (mediaType === 'application/json') return decodeUtf8;
  return mediaType === PROTOBUF_MEDIA_TYPE.mediaType ? withoutFrame : (event) => event;
}

function webSocketAnswer(request: ServerRequest, form: AnswerForm, stream: WatchStream): Answer {
  return {
    kind: 'websocket',
    headers: contentHeaders(contentTypeOf(form)),
    protocols: offeredProtocols(request),
    start: (socket) => stream.start(webSocketOutput(socket, messageOf(form))),
  };
}
