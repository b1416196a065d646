/**
 * The answer to a ConversionReview, v1 or v1beta1. Invariant: a review is converted as a whole or not at all, in the
 * order of its objects. Metadata of a result is that of the input, except labels and annotations: the API server
 * refuses any other change.
 */
import { formatGroupVersion } from '../apimachinery/meta/gvk.ts';
import { listAt, objectAt, textAt } from '../apimachinery/meta/object-fields.ts';
import { StatusError } from '../apimachinery/status/status.ts';
import { badRequest } from '../apimachinery/status/status-catalogue.ts';
import { BugError, toError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { deepFreeze } from '../client/deep-freeze.ts';
import { kindText } from './admission-review.ts';
import type { ConversionHook, Spoke } from './hooks.ts';

const VERSIONS: readonly string[] = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/**
 * Converts the objects of a review. Returns the review to answer with; a conversion that fails is a result with the
 * status Failure. Rejects with StatusError, a 400, for anything but a review of conversion.
 */
export async function answerConversion(hook: ConversionHook, review: JsonObject): Promise<JsonObject> {
  const apiVersion = textAt(review, 'apiVersion');
  if (textAt(review, 'kind') !== 'ConversionReview' || !VERSIONS.includes(apiVersion))
    throw refuse(`expected a ConversionReview of ${VERSIONS.join(' or ')}, got ${kindText(review)}`);
  const request = objectAt(review, 'request');
  if (request === undefined) throw refuse('the ConversionReview has no request');
  const outcome = await convertAll(hook, request).catch((caught: unknown) => ({
    convertedObjects: [],
    result: { status: 'Failure', message: toError(caught).message },
  }));
  return { kind: 'ConversionReview', apiVersion, response: { uid: textAt(request, 'uid'), ...outcome } };
}

function refuse(message: string): StatusError {
  return new StatusError(badRequest(message));
}

async function convertAll(hook: ConversionHook, request: JsonObject): Promise<JsonObject> {
  const desired = textAt(request, 'desiredAPIVersion');
  const convertedObjects: JsonValue[] = [];
  for (const object of listAt(request, 'objects')) {
    if (!isJsonObject(object)) throw refuse('the review contains a value that is not an object');
    convertedObjects.push(await convertOne(hook, deepFreeze(object), desired));
  }
  return { convertedObjects, result: { status: 'Success' } };
}

async function convertOne(hook: ConversionHook, object: JsonObject, desired: string): Promise<JsonObject> {
  const source = textAt(object, 'apiVersion');
  if (source === desired) return object;
  const [from, to] = [spokeOf(hook, object, source), spokeOf(hook, object, desired)];
  try {
    const hub = from === undefined ? object : complete(await from.toHub(object), object, hubVersion(hook));
    return to === undefined ? hub : complete(await to.fromHub(deepFreeze(hub)), object, desired);
  } catch (caught) {
    const { message } = toError(caught);
    throw refuse(`cannot convert ${nameOf(object)} from ${source} to ${desired}: ${message}`);
  }
}

function hubVersion({ hub }: ConversionHook): string {
  return formatGroupVersion(hub);
}

/** Returns undefined for the hub itself. */
function spokeOf(hook: ConversionHook, object: JsonObject, apiVersion: string): Spoke<unknown> | undefined {
  if (textAt(object, 'kind') === hook.hub.kind) {
    if (apiVersion === hubVersion(hook)) return undefined;
    const found = hook.spokes.find(({ kind }) => formatGroupVersion(kind) === apiVersion);
    if (found !== undefined) return found;
  }
  throw refuse(`this webhook does not convert ${kindText({ apiVersion, kind: object['kind'] ?? '' })}`);
}

/** Fills in `apiVersion`, `kind` and `metadata`, which a conversion may leave out. */
function complete(converted: unknown, original: JsonObject, apiVersion: string): JsonObject {
  if (!isJsonObject(converted as JsonValue)) throw new BugError('the result is not an object');
  const result = converted as JsonObject;
  const metadata = result['metadata'] ?? original['metadata'] ?? {};
  return { ...result, apiVersion, kind: original['kind'] ?? '', metadata };
}

function nameOf(object: JsonObject): string {
  const [namespace, name] = [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')];
  return `${textAt(object, 'kind')} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
