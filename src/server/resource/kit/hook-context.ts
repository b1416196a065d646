/** The context that the hooks of a declared resource get: the request behind the call. */

import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import type { AbortSignalLike } from '../../../base/abort-signal.ts';
import type { RequestContext } from '../request-context.ts';
import type { ResourceContext } from '../resource-store.ts';
import type { StrategyContext } from '../strategy.ts';
import type { VersionDefinition } from '../version-definition.ts';

export interface HookContext extends StrategyContext {
  /** The authenticated user, after impersonation. */
  readonly user: UserInfo;
  /** The verb that was authorized: `create`, `update`, `patch`, `get`, `list`, `watch`, `delete`. */
  readonly verb: string;
  /** True if nothing will be stored. A hook with effects of its own must not have them then. */
  readonly dryRun: boolean;
  /** When the request was received, in milliseconds since 1970. */
  readonly now: number;
  /** Aborts when the client disconnects. Never aborts for the server's own operations. */
  readonly signal: AbortSignalLike;
  /** Adds a `Warning` header to the answer, which kubectl prints. */
  warn(text: string): void;
}

/** The context of one call. The signal is made on first use. */
export class HookRequest implements HookContext {
  readonly request: RequestContext;
  readonly version: VersionDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  #signal: AbortSignal | undefined;

  /** `dryRun`: default that of the request. */
  constructor({ request, version, namespace, name }: ResourceContext, dryRun: boolean = request.dryRun === true) {
    this.request = request;
    this.version = version;
    this.namespace = namespace;
    this.name = name;
    this.dryRun = dryRun;
  }

  get user(): UserInfo {
    return this.request.user;
  }

  get verb(): string {
    return this.request.verb;
  }

  get now(): number {
    return this.request.receivedAt;
  }

  get signal(): AbortSignalLike {
    if (this.#signal === undefined) {
      const controller = new AbortController();
      this.#signal = controller.signal;
      this.request.onClose?.(() => controller.abort());
    }
    return this.#signal;
  }

  warn(text: string): void {
    this.request.warn(text);
  }
}
