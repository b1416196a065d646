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
  /** The served resources, made by `defineResource`. */
  readonly resources: readonly ResourceDefinition[];
  /**
   * Runs without a parent API server: the server has its own certificates, an administrator and an authorizer of your
   * choice. Default false.
   */
  readonly standalone?: boolean;
  /**
   * Where the objects of resources without a store of their own are kept: a folder with the embedded store, which also
   * holds the server's certificates, or a storage that the caller stops. Default: the folder `.keelson-extension`.
   */
  readonly storage?: { readonly folder: string } | 'memory' | Storage;
  /** The API server behind which this one is registered. Default: found as client-go does, see `connect`. */
  readonly parent?: ParentOptions;
  readonly authentication?: AuthenticationOptions;
  readonly authorization?: AuthorizationOptions;
  readonly admission?: AdmissionOptions;
  /** Default: nothing is audited. */
  readonly audit?: AuditFileOptions;
  /** Requests in flight and their time. Default: 400 reads, 200 writes, 60 s. */
  readonly limits?: GenericServerLimits;
  /** Called once, before the server starts: adds paths, health checks, metrics and hooks to the generic server. */
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
  /** Sends requests to the parent instead of a connection of its own. The caller stops it. */
  readonly transport?: Transport;
}

export interface AuthenticationOptions {
  /** Whether a request without credentials is `system:anonymous` instead of a 401. Default true, for health checks. */
  readonly anonymous?: boolean;
  /** CAs of client certificates, PEM, in addition to those of the parent or of the standalone server. Default none. */
  readonly clientCa?: string;
  /** Authenticates bearer tokens before the parent is asked. Default: none does. */
  readonly tokens?: TokenAuthenticator;
  /** Audiences that a token must be for, one of them. Default: those of the parent. */
  readonly audiences?: readonly string[];
  /** How long the result of a TokenReview is used. Default 10,000. */
  readonly tokenCacheMs?: number;
}

export interface AuthorizationOptions {
  /**
   * Decides instead of the parent. Members of `system:masters` may do anything in any case. Default: the parent decides
   * by SubjectAccessReview; without a parent, only members of `system:masters` may do anything.
   */
  readonly authorizer?: Authorizer;
  /** How long the parent's answers are used. Default 10,000. */
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
  /** Names of plugins that do not run. Default none. */
  readonly disable?: readonly string[];
}

export interface AuditFileOptions {
  /** The text of an audit Policy (audit.k8s.io/v1) in YAML or JSON. */
  readonly policy: string;
  /** The path of the log; `-` is standard output. */
  readonly logPath: string;
  /** Default 100. */
  readonly maxSizeMb?: number;
  /** Default 0: never removed by age. */
  readonly maxAgeDays?: number;
  /** Default 0: all are kept. */
  readonly maxBackups?: number;
}

export interface ExtensionListenOptions {
  /** Default: 127.0.0.1 for a standalone server, every address otherwise. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Files of the serving certificate and its key, PEM, read again every 10 s. Default: issued by the server's own CA. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Names and addresses in the issued certificate, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Stops the server when it aborts. */
  readonly signal?: AbortSignalLike;
  /** How long requests in flight may take after `stop`. Default 5,000. */
  readonly shutdownGraceMs?: number;
}

/** A server that listens. */
export interface ListeningServer extends Stoppable {
  /** `https://127.0.0.1:40123`. Loopback stands for an unspecified address. */
  readonly url: string;
  readonly port: number;
  /** The PEM certificates that a client must trust. With certFile: that file. */
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
  /** Serves the requests of a listener of your own, once `start` has resolved; 503 before that. Never rejects. */
  readonly handler: Handler;
  /** Sends requests without a socket, as a member of system:masters. Starts the server first. */
  readonly transport: Transport;
  /**
   * Connects to the parent, opens the storage and runs the post-start hooks. Called by `listen`. Idempotent. Rejects
   * with ConfigError if the parent cannot be used, and everything is closed again.
   */
  start(): Promise<void>;
  /** Starts the server and listens. Called once. Throws ConfigError if the port or the certificate cannot be used. */
  listen(options?: ExtensionListenOptions): Promise<ListeningServer>;
  /**
   * Issues a serving certificate with the server's own CA, for a program that serves elsewhere. With a folder, the
   * certificate is kept there under the name and returned again while it is valid.
   */
  issueCertificate(name: string, hosts: readonly string[]): Promise<IssuedCertificate>;
  /** Adds names to the certificate with which this process serves, now or when it listens. Returns its CA. */
  addServingHosts(hosts: readonly string[]): Promise<string>;
}
