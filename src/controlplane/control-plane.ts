/**
 * The interface of a running control plane: the last of three stages (ServerOptions → CompletedOptions → ControlPlane).
 */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';

export interface ControlPlane extends Stoppable {
  /**
   * The base URL for clients on this machine, such as `https://127.0.0.1:6443`. It has a loopback address if the server
   * listens on all addresses.
   */
  readonly url: string;
  /** The IP address that the server listens on. */
  readonly address: string;
  readonly port: number;
  /**
   * The path of the admin's kubeconfig file. Undefined if there is none, because the server has no data folder or
   * `--client-ca-file` is set.
   */
  readonly kubeconfig: string | undefined;
  /** The text of the admin's kubeconfig, with the current certificates. Undefined if `--client-ca-file` is set. */
  readonly kubeconfigText: string | undefined;
  /** Passes a request through the filters to the servers. Never throws or rejects. */
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
   * cleanly. Requests in flight have the grace period to finish; then their connections are closed. Finally the storage
   * is closed. Every call returns the same promise.
   */
  stop(): Promise<void>;
}
