/**
 * The interface of a running control plane: the last of three stages (ServerOptions → CompletedOptions → ControlPlane).
 */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';

export interface ControlPlane extends Stoppable {
  /**
   * The base URL for clients on this machine, such as `https://127.0.0.1:6443`. Loopback stands for an unspecified
   * address such as 0.0.0.0.
   */
  readonly url: string;
  /** The IP address that it listens on. */
  readonly address: string;
  readonly port: number;
  /**
   * The path of the admin's kubeconfig file. Undefined if there is none: the server has no data folder, or it trusts a
   * CA of the operator.
   */
  readonly kubeconfig: string | undefined;
  /**
   * The text of the admin's kubeconfig, with the present certificates. Undefined if the server trusts a CA of the
   * operator.
   */
  readonly kubeconfigText: string | undefined;
  /** Serves a request through the filters and all servers. Neither throws nor rejects. */
  readonly handler: Handler;
  /**
   * Sends requests without a socket. They are authorized as a member of system:masters, unless they have an
   * `authorization` header.
   */
  readonly transport: Transport;
  readonly health: Health;
  /**
   * Resolves when the objects of a new server are stored and `/readyz` passes. Rejects if they cannot be stored,
   * or if the server is stopped while it waits for a KMS plugin.
   * Requests are served before that, too.
   */
  readonly ready: Promise<void>;
  /**
   * Stops the server. First `/readyz` fails. After the shutdown delay no connection is accepted and watches end
   * cleanly. Requests in flight have the grace period to finish; after it their connections are closed. Then storage
   * closes. Every call returns the same promise.
   */
  stop(): Promise<void>;
}
