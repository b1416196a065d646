/**
 * The package `keelson`: the control plane, its options, and the errors that all entry points throw, with their guards.
 *
 * ```ts
 * const server = await startControlPlane({ storage: 'memory' });
 * console.log(server.url, server.kubeconfigText);
 * await server.stop();
 * ```
 */
export type { HttpHeaders, Transport, TransportRequest, TransportResponse } from './apimachinery/http/transport.ts';
export {
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  isStatusError,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from './apimachinery/status/status.ts';
export {
  BugError,
  ConfigError,
  isBugError,
  isConfigError,
  isKeelsonError,
  isTransportError,
  KeelsonError,
  TransportError,
} from './base/errors.ts';
export type { JsonArray, JsonObject, JsonValue } from './base/json-value.ts';
export type { LogFields, Logger } from './base/logger.ts';
export type { ControlPlane } from './controlplane/control-plane.ts';
export { startOnNode as startControlPlane } from './controlplane/node/start-on-node.ts';
export type { PartialOptions, ServerOptions } from './controlplane/options.ts';
