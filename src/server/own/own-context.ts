/**
 * The contexts of operations that the server performs itself: bootstrap objects, allocations, the reads behind token
 * checks. The user is `system:apiserver` in `system:masters`, so no authorization check refuses it.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { Clock } from '../../base/clock.ts';
import { MASTERS_GROUP } from '../authorizer.ts';
import type { RequestContext } from '../resource/request-context.ts';
import type { ResourceContext } from '../resource/resource-store.ts';

/** The user of the server's own operations. */
export const SERVER_USER: UserInfo = { name: 'system:apiserver', uid: '', groups: [MASTERS_GROUP], extra: {} };

/** Has no deadline. Drops warnings and audit annotations: there is no client and no audit event. */
class OwnRequest implements RequestContext {
  readonly user = SERVER_USER;
  readonly verb: string;
  readonly receivedAt: number;
  readonly deadline = Number.POSITIVE_INFINITY;

  constructor(verb: string, receivedAt: number) {
    this.verb = verb;
    this.receivedAt = receivedAt;
  }

  warn(): void {}

  annotate(): void {}
}

/**
 * Returns the context of an operation that begins now. `namespace` and `name` are '' where a request's path has none.
 */
export function ownContext(
  clock: Clock,
  verb: string,
  { version, namespace, name }: Omit<ResourceContext, 'request'>,
): ResourceContext {
  return { request: new OwnRequest(verb, clock.now()), version, namespace, name };
}
