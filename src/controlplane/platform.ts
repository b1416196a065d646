/**
 * What a control plane needs of the machine it runs on. Invariant: everything that touches a file, a socket or a native package comes through here, so that this layer
 * itself runs wherever web standards do; `node/` supplies the one for Node.
 */
import type { Clock } from '../base/clock.ts';
import type { Listener, ListenerOptions } from '../node/listener.ts';
import type { AuditLog, AuditLogOptions } from '../node/log/audit-log.ts';
import type { KubeconfigOptions } from '../pki/kubeconfig.ts';
import type { EnsurePkiOptions, Pki } from '../pki/pki-folder.ts';
import type { KeyedPem } from '../pki/pki-leaf.ts';
import type { Compressor } from '../server/endpoints/endpoint.ts';
import type { OutboundClient } from '../server/http/outbound.ts';
import type { PreparedOpenApi } from '../server/openapi/prepared.ts';
import type { BuildInfo } from '../server/version-info.ts';
import type { Storage } from '../storage/storage.ts';
import type { ProcessUse } from './process-metrics.ts';

export interface Platform {
  readonly clock: Clock;
  /** Asked once per start. */
  buildInfo(): BuildInfo;
  /** Of this process, now. */
  processUse(): ProcessUse;
  /** An absolute path, for messages and for files that others are told of. */
  absolutePath(path: string): string;
  /** The text of a file; undefined if there is none. Throws ConfigError naming the path for anything else that prevents reading. */
  readFile(path: string): Promise<string | undefined>;
  /** Makes the folder for its owner alone and takes it for this process. Throws ConfigError naming the process that has it. The returned function gives it back. */
  takeFolder(folder: string): Promise<() => void>;
  /** DNS names of this machine, and its addresses if it is reached by all of them. */
  hostNames(options: { readonly allAddresses: boolean }): readonly string[];
  ensurePki(options: EnsurePkiOptions): Promise<Pki>;
  /** `apiserver.crt` and `apiserver.key` of a folder; made with the authority of `pki` if they are not there, and renewed if it made them. */
  ensureServingPair(folder: string, pki: Pki, hosts: readonly string[]): Promise<KeyedPem>;
  /** Mode 0600, atomically. */
  writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void>;
  /** Begins to load what `openStorage` will need, while something else waits for files. Never throws: the open will say what is wrong. */
  prefetchStorage(): void;
  /** The durable store of a folder. */
  openStorage(folder: string, onProblem: (error: Error) => void): Promise<Storage>;
  openAuditLog(options: AuditLogOptions): Promise<AuditLog>;
  listen(options: ListenerOptions): Promise<Listener>;
  readonly compressor: Compressor;
  /** What the build has made of the built-in kinds' documents; undefined where nothing was built. */
  preparedOpenApi(): PreparedOpenApi | undefined;
  /** Calls to webhooks. */
  createOutboundClient(): OutboundClient;
}
