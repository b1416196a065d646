/**
 * `keelson/client`: a client for any Kubernetes API server, over any transport. `keelson/node` has transports.
 *
 * ```ts
 * const client = createClient(transport);
 * for await (const pod of client.api(Pod, 'default').list()) console.log(pod.metadata.name);
 * ```
 */
export type { HttpHeaders, Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotAllowed,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceVersionTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isStatusError,
  isStoreReadError,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerResponse,
  isUnsupportedMediaType,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
  statusCause,
  statusOf,
  suggestedDelaySeconds,
} from '../apimachinery/status/status.ts';
export type {
  AddedEvent,
  BookmarkEvent,
  DeletedEvent,
  ErrorEvent,
  ModifiedEvent,
  WatchEvent,
} from '../apimachinery/watch/watch-event.ts';
export {
  type BackoffPolicy,
  DEFAULT_ITEM_BACKOFF,
  ItemBackoff,
  type RateLimiter,
} from '../base/backoff.ts';
export { type Clock, systemClock, type Timer } from '../base/clock.ts';
export {
  BugError,
  ConfigError,
  isBugError,
  isConfigError,
  isKeelsonError,
  isTransportError,
  KeelsonError,
  TransportError,
} from '../base/errors.ts';
export type { JsonArray, JsonObject, JsonValue } from '../base/json-value.ts';
export type { LogFields, Logger } from '../base/logger.ts';
export { MetricRegistry } from '../base/metrics/metric-registry.ts';
export { METRICS_CONTENT_TYPE } from '../base/metrics/metrics-text.ts';
export { WorkQueueMetrics } from '../base/metrics/work-queue-metrics.ts';
export { type ProcessQueueOptions, processQueue } from '../base/process-queue.ts';
export {
  CLIENT_GO_ITEM_BACKOFF,
  CLIENT_GO_RETRY_BUCKET,
  createClientGoRateLimiter,
  maxOf,
  TokenBucketLimiter,
} from '../base/rate-limiters.ts';
export {
  LOW_PRIORITY,
  NORMAL_PRIORITY,
  WorkQueue,
  type WorkQueueObserver,
  type WorkQueueOptions,
} from '../base/work-queue.ts';
export type { Kind, ObjectOf, Scope } from '../kinds/kind.ts';
export type {
  Api,
  ApplyOptions,
  CallOptions,
  Client,
  Collection,
  ConnectOptions,
  DeleteOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  ObjectList,
  ObjectPatch,
  Page,
  PageOptions,
  PatchOptions,
  SelectOptions,
  SubresourceApi,
  WatchOptions,
  WriteOptions,
} from './api.ts';
export { type ClientOptions, createClient } from './create-client.ts';
export { type ObjectDecoder, objectDecoder } from './decode-object.ts';
export {
  type DiscoveredGroup,
  type DiscoveredResource,
  type DiscoveredSubresource,
  type DiscoveredVersion,
  type DiscoverySnapshot,
  preferredResources,
  resourceNamed,
  resourceOfKind,
  resourcesOf,
  type UnavailableVersion,
} from './discovered.ts';
export { createDiscovery, type Discovery, type DiscoveryOptions } from './discovery.ts';
export { draft, stringify } from './draft.ts';
export {
  createEventRecorder,
  type EventDetails,
  type EventRecorder,
  type EventRecorderOptions,
  type EventSubject,
} from './events/event-recorder.ts';
export { fenced } from './fenced.ts';
export type {
  EventHandler,
  HandlerRegistration,
  IndexFunction,
  Informer,
  InformerFailure,
  InformerOptions,
  InformerSet,
  InformerSetOptions,
  ObjectKey,
  ObjectStore,
} from './informer.ts';
export { createInformerSet } from './informer-set.ts';
export type { ExecPlugin, InlineOrFile, KubeconfigContext, KubeconfigFile, KubeconfigUser } from './kubeconfig.ts';
export { readKubeconfig } from './kubeconfig.ts';
export {
  type LeaderElection,
  type LeaderElectionOptions,
  type LeaderTerm,
  runLeaderElection,
} from './leader-election.ts';
export { type DecodedPage, readPageBytes } from './list-page.ts';
export type {
  Applied,
  DeepPartial,
  DeepReadonly,
  Draft,
  ObjectBase,
  Stored,
  StoredMeta,
  UntypedObject,
} from './object-types.ts';
export {
  controllerReferenceOf,
  isControlledBy,
  type Owned,
  type Owner,
  type OwnerReferenceOptions,
  ownerReference,
} from './owner-reference.ts';
export { collectionPath, listTarget, type ResourcePath, watchTarget } from './paths.ts';
export { type UntypedKindNames, untypedKind } from './untyped-kind.ts';
export { openWatch, type WatchCall, watchBatches } from './watch-stream.ts';
export { type RetryOptions, withRetries } from './with-retries.ts';
