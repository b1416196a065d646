/** What a started control plane is to those who started it: the third stage. */

import type { Transport } from '../apimachinery/http/transport.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';

export interface ControlPlane extends Stoppable {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The IP address and the port that it listens on. */
  readonly address: string;
  readonly port: number;
  /** The kubeconfig of the admin, written; undefined if none of ours would be accepted. */
  readonly kubeconfig: string | undefined;
  /** The whole chain, filters included. */
  readonly handler: Handler;
  /** Requests without a socket, as a member of system:masters unless they bring an `authorization` header of their own. */
  readonly transport: Transport;
  readonly health: Health;
  /** Resolves when everything that a fresh server contains is there and readyz passes; rejects if that failed. Requests are answered before. */
  readonly ready: Promise<void>;
  /**
   * readyz fails from now on; after the shutdown delay no connection is accepted, watches end cleanly, requests in flight finish within the grace period, storage
   * closes. Idempotent.
   */
  stop(): Promise<void>;
}
