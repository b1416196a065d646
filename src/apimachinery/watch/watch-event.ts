/**
 * Watch events and their JSON form `{ "type": ..., "object": ... }`. The union is closed: decoding refuses any other
 * type.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';

export interface AddedEvent<T = JsonObject> {
  readonly type: 'ADDED';
  readonly object: T;
}

export interface ModifiedEvent<T = JsonObject> {
  readonly type: 'MODIFIED';
  readonly object: T;
}

/** `object` is the state before the deletion, with the resourceVersion of the deletion. */
export interface DeletedEvent<T = JsonObject> {
  readonly type: 'DELETED';
  readonly object: T;
}

/** `object` has the watched kind, `metadata.resourceVersion`, possibly annotations, and nothing else. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly object: JsonObject;
}

/** `object` is a Status. The server sends nothing after it. */
export interface ErrorEvent {
  readonly type: 'ERROR';
  readonly object: JsonObject;
}

/** An event of one object. */
export type ChangeEvent<T = JsonObject> = AddedEvent<T> | ModifiedEvent<T> | DeletedEvent<T>;

export type WatchEvent<T = JsonObject> = ChangeEvent<T> | BookmarkEvent | ErrorEvent;

export type WatchEventType = WatchEvent['type'];

/** The annotation of the bookmark that ends the initial events of a streaming list. Its value is `"true"`. */
export const INITIAL_EVENTS_END: string = 'k8s.io/initial-events-end';

export type DecodedWatchEvent =
  | { readonly ok: true; readonly event: WatchEvent }
  | { readonly ok: false; readonly error: { readonly message: string } };

/** Decodes the JSON form. Fields other than `type` and `object` are ignored. The object is not copied. */
export function decodeWatchEvent(value: JsonValue): DecodedWatchEvent {
  if (!isJsonObject(value)) return refused('a watch event must be an object');
  const type = getField(value, 'type');
  const object = getField(value, 'object');
  if (!isWatchEventType(type)) {
    return refused(typeof type === 'string' ? `unknown watch event type ${quote(type)}` : 'a watch event needs a type');
  }
  if (!isJsonObject(object)) return refused(`the object of a ${type} event must be an object`);
  return { ok: true, event: { type, object } };
}

/** Whether the event is the bookmark that completes a streaming list. */
export function isInitialEventsEnd(event: WatchEvent<unknown>): boolean {
  if (event.type !== 'BOOKMARK') return false;
  const metadata = getField(event.object, 'metadata');
  if (!isJsonObject(metadata)) return false;
  const annotations = getField(metadata, 'annotations');
  return isJsonObject(annotations) && getField(annotations, INITIAL_EVENTS_END) === 'true';
}

/** A bookmark of a kind at a revision. `initialEventsEnd` marks the end of a streaming list. Default false. */
export function createBookmark(
  kind: { readonly apiVersion: string; readonly kind: string },
  resourceVersion: string,
  options: { readonly initialEventsEnd?: boolean } = {},
): BookmarkEvent {
  const metadata: JsonObject = { resourceVersion };
  if (options.initialEventsEnd === true) {
    const annotations: JsonObject = {};
    setField(annotations, INITIAL_EVENTS_END, 'true');
    metadata['annotations'] = annotations;
  }
  return { type: 'BOOKMARK', object: { apiVersion: kind.apiVersion, kind: kind.kind, metadata } };
}

/** The `metadata.resourceVersion` of a value, or ''. */
export function resourceVersionOf(object: unknown): string {
  const metadata = property(object, 'metadata');
  const version = property(metadata, 'resourceVersion');
  return typeof version === 'string' ? version : '';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function isWatchEventType(value: JsonValue | undefined): value is WatchEventType {
  return value === 'ADDED' || value === 'MODIFIED' || value === 'DELETED' || value === 'BOOKMARK' || value === 'ERROR';
}

/** Quotes a limited part of the text, because it comes from outside and is logged. */
function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}

function refused(message: string): DecodedWatchEvent {
  return { ok: false, error: { message } };
}
