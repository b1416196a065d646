/**
 * The request that a store or a strategy works for, as far as it may know it: who asks, when, until when, and where
 * warnings and audit annotations go. A `ServerRequest` is one; so is an operation that the server performs itself
 * (`server/own/own-context.ts`). Tests and extension authors implement it with a plain object.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';

export interface RequestContext {
  /** The authenticated user, after impersonation. */
  readonly user: UserInfo;
  /**
   * The verb that was authorized: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`,
   * `connect`. A store's `update` runs for `update` and for `patch`.
   */
  readonly verb: string;
  /**
   * When the request was received, or when the server's own operation began: wall clock, in milliseconds since the
   * epoch. Timestamps that a strategy writes are made from this, so that one request writes one time.
   */
  readonly receivedAt: number;
  /** On the clock's monotonic axis; Infinity for none. A store that retries gives up with a 504 after it. */
  readonly deadline: number;
  /** Whether the query asks to store nothing. Default false. A delete may also say so in its body. */
  readonly dryRun?: boolean;
  /** Adds a listener that is called once if the client disconnects. Absent: there is no client. */
  onClose?(listener: () => void): void;
  /** Adds a `Warning` header to the answer. Repeated texts are sent once. Dropped for the server's own operations. */
  warn(text: string): void;
  /** Adds an annotation to the request's audit event. Does nothing if the request is not audited. */
  annotate(key: string, value: string): void;
}
