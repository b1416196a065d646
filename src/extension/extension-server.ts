/** The interface of an extension API server and its options. `node/create-extension-server.ts` implements it. */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock } from '../base/clock.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { AdmissionPlugin } from '../server/admission.ts';
import type { TokenAuthenticator } from '../server/authenticator.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { GenericServer, GenericServerLimits } from '../server/generic-server.ts';
import type { Handler } from '../server/http/exchange.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';

export interface ExtensionServerOptions {
  /** The resources to serve, made by `defineResource`. */
  readonly resources: readonly ResourceDefinition[];
  /**
   * Runs without a parent API server: the server has its own certificates, an administrator and an authorizer of your
   * choice. Default false.
   */
  readonly standalone?: boolean;
  /**
   * The storage for the objects of resources that do not have their own `store`. `folder`: an embedded store in this
   * folder, which also holds the server's certificates. A `Storage` is stopped by the caller. Default: the folder
   * `.keelson-extension`.
   */
  readonly storage?: { readonly folder: string } | 'memory' | Storage;
  /** The API server behind which this server is registered. Default: found like client-go does; see `connect`. */
  readonly parent?: ParentOptions;
  readonly authentication?: AuthenticationOptions;
  readonly authorization?: AuthorizationOptions;
  readonly admission?: AdmissionOptions;
  /** Default: nothing is audited. */
  readonly audit?: AuditFileOptions;
  /** The limits of requests in flight and of their time. Default: 400 reads, 200 writes, 60 s. */
  readonly limits?: GenericServerLimits;
  /** Called once, before the server starts. May add paths, health checks, metrics and hooks to the generic server. */
  readonly setup?: (server: GenericServer) => void;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** The version of the program, for `/version`. Default `0.0.0`. */
  readonly version?: string;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

export interface ParentOptions {
  /** The path of a kubeconfig, or its text. Default: KUBECONFIG, `~/.kube/config`, or the service account of the pod. */
  readonly kubeconfig?: string;
  /** Default: the current context. */
  readonly context?: string;
  /** Sends requests to the parent, instead of a connection that the server would open. The caller stops it. */
  readonly transport?: Transport;
}

export interface AuthenticationOptions {
  /** Whether a request without credentials is `system:anonymous` instead of a 401. Default true, for health checks. */
  readonly anonymous?: boolean;
  /** CAs of client certificates, PEM, in addition to those of the parent or of the standalone server. Default none. */
  readonly clientCa?: string;
  /** Authenticates bearer tokens before the parent is asked. Default: only the parent does. */
  readonly tokens?: TokenAuthenticator;
  /** A token must be for at least one of these audiences. Default: the audiences of the parent. */
  readonly audiences?: readonly string[];
  /** How many milliseconds the result of a TokenReview is cached. Default 10,000. */
  readonly tokenCacheMs?: number;
}

export interface AuthorizationOptions {
  /**
   * Authorizes requests instead of the parent. Members of `system:masters` may always do anything. Default: the parent
   * decides by SubjectAccessReview; without a parent, only members of `system:masters` are allowed.
   */
  readonly authorizer?: Authorizer;
  /** How many milliseconds the parent's answers are cached. Default 10,000. */
  readonly allowedCacheMs?: number;
  readonly deniedCacheMs?: number;
  /** Paths that every user may read. Default `/healthz`, `/livez`, `/readyz`. */
  readonly alwaysAllowPaths?: readonly string[];
}

export interface AdmissionOptions {
  /**
   * Plugins in addition to NamespaceLifecycle and to the webhooks and policies of the parent
   * (MutatingAdmissionPolicy, MutatingAdmissionWebhook, ValidatingAdmissionPolicy, ValidatingAdmissionWebhook), in the
   * order of `createAdmission`. Default none.
   */
  readonly plugins?: readonly AdmissionPlugin[];
  /** The names of plugins to disable. Default none. */
  readonly disable?: readonly string[];
}

export interface AuditFileOptions {
  /** The text of an audit Policy (audit.k8s.io/v1) in YAML or JSON. */
  readonly policy: string;
  /** The path of the log; `-` is standard output. */
  readonly logPath: string;
  /** The size at which the log is rotated. Default 100. */
  readonly maxSizeMb?: number;
  /** The age at which rotated files are removed. Default 0: never. */
  readonly maxAgeDays?: number;
  /** The most rotated files to keep. Default 0: all. */
  readonly maxBackups?: number;
}

export interface ExtensionListenOptions {
  /** Default: 127.0.0.1 for a standalone server, every address otherwise. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /**
   * The files of the serving certificate and its key, PEM, which are read again every 10 s. Default: the server's own
   * CA issues a certificate.
   */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Additional names and addresses in the issued certificate. Those of this machine are always in it. */
  readonly hosts?: readonly string[];
  /** Stops the server when the signal aborts. */
  readonly signal?: AbortSignalLike;
  /** How many milliseconds requests in flight may take after `stop`. Default 5,000. */
  readonly shutdownGraceMs?: number;
}

/** An extension server that listens on a port. */
export interface ListeningServer extends Stoppable {
  /**
   * The URL of the server, such as `https://127.0.0.1:40123`. It has a loopback address if the server listens on all
   * addresses.
   */
  readonly url: string;
  readonly port: number;
  /** The PEM certificates that a client must trust. With `certFile`, the content of that file. */
  readonly ca: string;
  /** The text of the administrator's kubeconfig. Undefined unless the server is standalone. */
  readonly kubeconfig: string | undefined;
  /** Resolves when the server has stopped. */
  readonly stopped: Promise<void>;
}

/** A certificate and its key, and the CA that issued it, all PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

export interface ExtensionServer extends Stoppable {
  readonly resources: readonly ResourceDefinition[];
  /** Handles the requests of your own listener. Answers 503 until `start` has resolved. Never rejects. */
  readonly handler: Handler;
  /**
   * Sends requests to this server without a socket, as a member of system:masters. The first request starts the server.
   */
  readonly transport: Transport;
  /**
   * Connects to the parent, opens the storage and runs the post-start hooks. Called by `listen`. Idempotent. If the
   * parent cannot be used, closes everything again and rejects with ConfigError.
   */
  start(): Promise<void>;
  /**
   * Starts the server and listens. Must be called at most once. Throws ConfigError if the port or the certificate
   * cannot be used.
   */
  listen(options?: ExtensionListenOptions): Promise<ListeningServer>;
  /**
   * Issues a serving certificate with the server's own CA, for a program that serves elsewhere. If the server has a
   * folder, the certificate is stored there under `name`, and later calls return it while it is valid.
   */
  issueCertificate(name: string, hosts: readonly string[]): Promise<IssuedCertificate>;
  /**
   * Adds names to the serving certificate of this process, also before it listens. Resolves with the CA of the
   * certificate.
   */
  addServingHosts(hosts: readonly string[]): Promise<string>;
}
