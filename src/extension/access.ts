/**
 * The access to an extension server: the users that it recognizes, and the permissions and the admission that apply to
 * them. `standalone-access.ts` implements it for a server without a parent, `delegated/delegated-access.ts` for one
 * with a parent.
 */
import type { Stoppable } from '../base/lifetime.ts';
import type { AdmissionPlugin } from '../server/admission.ts';
import type { Authenticator } from '../server/authenticator.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { NamespaceReader } from '../server/endpoints/endpoint.ts';
import type { RequestHeaderNames } from '../server/filters/authentication/request-header.ts';
import type { HealthCheck } from '../server/health.ts';

export interface Access extends Stoppable {
  readonly authenticate: Authenticator;
  readonly authorizer: Authorizer;
  /** Undefined: the standard names. */
  readonly requestHeaders: (() => RequestHeaderNames) | undefined;
  readonly plugins: readonly AdmissionPlugin[];
  /**
   * Called once, when the server has started: begins to follow the configurations of `plugins`. Requests wait for them,
   * readiness does not.
   */
  followConfigurations(): void;
  /** Undefined: the server has no namespaces. */
  readonly namespaces: NamespaceReader | undefined;
  /** Checks of `/readyz`. */
  readonly checks: readonly HealthCheck[];
  /** The CAs of clients now, PEM, by the name of the authority. May be empty. */
  clientCas(): Readonly<Record<string, string>>;
  /** Sets the callback for changes of `clientCas`. */
  onClientCas(callback: () => void): void;
}

/** The paths of probes, which are open to everyone. */
export const PROBE_PATHS: readonly string[] = ['/healthz', '/readyz', '/livez'];
