/** Tracking of managed fields, as the endpoints of create, update and patch call it. */
import type { UpdateContext } from '../../apimachinery/managed-fields/field-manager.ts';
import { managerOrUserAgent } from '../../apimachinery/managed-fields/manager-name.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { headerText } from '../filters/authentication/header-text.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { timestamp } from '../registry/object-metadata.ts';
import type { EndpointHost, RequestScope } from './endpoint.ts';

/** Manager names by User-Agent header. The map is cleared when it has MAX_MANAGERS entries. */
const managers = new Map<string, string>();
const MAX_MANAGERS = 256;
const MAX_REMEMBERED = 256;

/** Returns the manager and the time of a write. `fieldManager` is the option of the request. */
export function writerOf(host: EndpointHost, request: ServerRequest, fieldManager: string): UpdateContext {
  const manager = fieldManager === '' ? managerOf(request.incoming.header('user-agent') ?? '') : fieldManager;
  return { manager, now: timestamp(host.clock.now()) };
}

function managerOf(userAgent: string): string {
  let name = managers.get(userAgent);
  if (name === undefined) {
    name = managerOrUserAgent('', headerText(userAgent));
    if (managers.size >= MAX_MANAGERS) managers.clear();
    if (userAgent.length <= MAX_REMEMBERED) managers.set(userAgent, name);
  }
  return name;
}

/**
 * Records a write in the managedFields of `object`, in place, and returns it. Called before mutating admission, with
 * the object that was decoded, normalized and defaulted; `current` is the stored object, undefined on create.
 */
export function trackFields(
  host: EndpointHost,
  scope: RequestScope,
  { object, current, writer }: { object: JsonObject; current: JsonObject | undefined; writer: UpdateContext },
): MaybePromise<JsonObject> {
  return andThen(scope.fieldManager.update(current, object, writer), (problem) => {
    if (problem !== undefined) host.onUntracked?.(scope.resource, problem);
    scope.bodyVersion.dropEmptyLists?.(object);
    return object;
  });
}
