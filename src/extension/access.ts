/**
 * Authentication, authorization and admission of an extension server, as one interface. `standalone-access.ts`
 * implements it for a server without a parent, `delegated/delegated-access.ts` for a server with a parent.
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
  /** Returns the header names of the parent's proxy. Undefined: the standard names. */
  readonly requestHeaders: (() => RequestHeaderNames) | undefined;
  readonly plugins: readonly AdmissionPlugin[];
  /**
   * Called once, when the server has started. Begins to watch the configurations of `plugins`. Requests wait until the
   * configurations are known; readiness does not.
   */
  followConfigurations(): void;
  /** Undefined: the server has no namespaces. */
  readonly namespaces: NamespaceReader | undefined;
  /** Additional checks of `/readyz`. */
  readonly checks: readonly HealthCheck[];
  /** Returns the current CAs of client certificates, PEM, by the name of the authority. May be empty. */
  clientCas(): Readonly<Record<string, string>>;
  /** Sets the callback for changes of `clientCas`. */
  onClientCas(callback: () => void): void;
}

/** The paths of probes, which need no authorization. */
export const PROBE_PATHS: readonly string[] = ['/healthz', '/readyz', '/livez'];
