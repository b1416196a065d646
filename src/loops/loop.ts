/**
 * The interface between the control plane and its own controllers, the loops. A loop is declared as a LoopDefinition,
 * listed in `loops.ts`, and started by `start-loops.ts` once the server is ready. Names are those of
 * kube-controller-manager.
 */
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/api.ts';
import type { InformerSet } from '../client/informer.ts';
import type { CertificateRequest } from '../pki/certificate-request.ts';
import type { SignRequestOptions } from '../pki/sign-request.ts';
import type { PolicyTypes } from './policy-types.ts';
import type { QuotaRules } from './resource-quota/quota-rules.ts';
import type { ServedResources } from './served-resources.ts';
import type { StoredObjects } from './stored-objects.ts';

export interface LoopDefinition {
  /** The controller's name in kube-controller-manager, such as `namespace-controller`. */
  readonly name: string;
  /**
   * The ServiceAccount in kube-system that the loop's requests are authorized as. A bootstrap role of that name exists:
   * `system:controller:<name>`. The user agent of the requests ends in the same name, as in kube-controller-manager.
   * Undefined: requests are those of the user system:kube-controller-manager itself.
   */
  readonly serviceAccount: string | undefined;
  /**
   * Called once, after the post-start hooks have finished. Must return at once: the loop does its work in the
   * background and reports failures to the logger of its context. `stop` of the result is called before the server
   * drains. It resolves when no request of the loop is under way.
   */
  start(context: LoopContext): Stoppable;
}

export interface CertificateSigner {
  /** Returns the certificate in PEM. */
  sign(request: CertificateRequest, options: SignRequestOptions): Promise<string>;
}

/** The write requests that the server has admitted and not yet answered. */
export interface RunningWrites {
  /**
   * Resolves when every write to the namespace that runs now has ended; never rejects. Returns undefined if none is
   * running. A loop must not wait for it inside of a request.
   */
  ended(namespace: string): Promise<void> | undefined;
}

export interface LoopContext {
  /** Sends requests without a socket as the loop's own user. Retries nothing. */
  readonly client: Client;
  /**
   * Shared by all loops and already started: an informer begins to list when a loop asks for it. Lists and watches as
   * the user system:kube-controller-manager. Stopped after the loops.
   */
  readonly informers: InformerSet;
  /** The resources that the server serves at the moment. */
  readonly served: ServedResources;
  /** The objects that the server stores, in their stored form. */
  readonly stored: StoredObjects;
  readonly writes: RunningWrites;
  readonly quotaRules: QuotaRules;
  readonly policyTypes: PolicyTypes;
  /** `--resource-quota-sync-period` in milliseconds. 0: never. */
  readonly resourceQuotaSyncMs: number;
  /** The CA certificates, in PEM, that a client must trust to accept this server. */
  readonly rootCa: string;
  /** Signs a ServiceAccount token with the legacy issuer, which tokens in Secrets have. */
  signLegacyToken(claims: JsonObject): Promise<string>;
  /** Signs with the CA of this server. Undefined if its key is elsewhere, or if the server trusts another CA. */
  readonly certificates: CertificateSigner | undefined;
  readonly clock: Clock;
  /** Adds the name of the loop to every line. */
  readonly logger: Logger;
  /** A number in [0, 1). */
  random(): number;
}
