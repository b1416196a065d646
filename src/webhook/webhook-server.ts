/** The interface of a webhook server and its options. `node/serve-webhooks.ts` implements it. */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock } from '../base/clock.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { ConversionHook, MutatingHook, ValidatingHook } from './hooks.ts';

/** The hooks of a program. At least one is needed. */
export interface Webhooks {
  /**
   * The name of the program, a DNS subdomain with at least one dot, such as `guard.example.com`. It is the name of the
   * configurations and the end of each webhook's name, and it owns the fields that `register` applies.
   */
  readonly name: string;
  /** Made by `mutating`. The API server calls them in this order. Default none. */
  readonly mutate?: readonly MutatingHook[];
  /** Made by `validating`. The API server calls them at the same time. Default none. */
  readonly validate?: readonly ValidatingHook[];
  /** Made by `converting`, one per custom resource. Default none. */
  readonly convert?: readonly ConversionHook[];
}

export interface WebhookServerOptions extends Webhooks {
  /** Default 127.0.0.1. Use 0.0.0.0 in a pod, where the API server connects from elsewhere. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /**
   * The folder that keeps the CA of the program and its certificate, which are renewed before they expire. Default: in
   * memory, so each start makes a new CA and `register` must run again.
   */
  readonly folder?: string;
  /** Files of a certificate and its key, PEM, read again every 10 s. Default: issued by the program's own CA. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The file of the CAs that signed `certFile`, read with it. Default: `certFile`, for self-signed certificates. */
  readonly caFile?: string;
  /** Names and addresses in the issued certificate, besides those of this machine and of `register`. Default none. */
  readonly hosts?: readonly string[];
  /**
   * The largest body of a review in bytes. Default 7 MiB for admission, as in controller-runtime, 64 MiB for
   * conversion.
   */
  readonly maxBodyBytes?: number;
  /** Stops the server when it aborts. */
  readonly signal?: AbortSignalLike;
  /** How long reviews in flight may take after `stop`. Default 5,000. */
  readonly shutdownGraceMs?: number;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** The address under which the API server calls the webhooks. */
export type WebhookAddress =
  /** A URL of this program, without a path. */
  | { readonly url: string }
  /** A Service. Default port 443. */
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } };

export interface RegisterOptions {
  /** Default: the URL of this server, which an API server on the same machine can reach. */
  readonly address?: WebhookAddress;
  /**
   * Sends requests to the API server. The caller stops it. Default: a connection as `connect` of `keelson/node` makes
   * it.
   */
  readonly transport?: Transport;
  /** The path of a kubeconfig, or its text, if there is no `transport`. Default: found as client-go does. */
  readonly kubeconfig?: string;
  readonly signal?: AbortSignalLike;
}

/** Configurations that the API server has. */
export interface Registration {
  /**
   * Deletes the webhook configurations. The conversion of custom resources stays: without it their objects could not be
   * read. Idempotent.
   */
  remove(): Promise<void>;
}

/** A webhook server that listens. `/healthz`, `/livez` and `/readyz` answer 200 until it stops. */
export interface WebhookServer extends Stoppable {
  /** `https://127.0.0.1:40123`. Loopback stands for an unspecified address. */
  readonly url: string;
  readonly port: number;
  /** The PEM certificates that the API server must trust. Changes when certificates are replaced. */
  readonly ca: string;
  /**
   * Applies the MutatingWebhookConfiguration, the ValidatingWebhookConfiguration and `spec.conversion` of the
   * CustomResourceDefinitions, with the CA of this server. CAs that they have for the same address, those of other
   * replicas, are kept until they expire, the newest 32 in all. They are applied again, before the new certificate is
   * used, whenever the CA changes. Rejects with StatusError if the API server refuses them, with ConfigError if a
   * CustomResourceDefinition does not exist. May be called for several API servers.
   */
  register(options?: RegisterOptions): Promise<Registration>;
  /** Resolves when the server has stopped. */
  readonly stopped: Promise<void>;
  /** Accepts no new reviews, waits for those in flight, and closes all connections. Registrations stay. */
  stop(): Promise<void>;
}
