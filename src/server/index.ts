/**
 * The public API `keelson/server`: the generic API server, and `defineResource`, which declares resources. The SDK for
 * extension API servers, `keelson/extension`, is built on it.
 */
export type { HttpHeaders, Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
export type { DeleteOptions } from '../apimachinery/meta/delete-options.ts';
export type { ListOptions } from '../apimachinery/meta/list-options.ts';
export type { UserInfo } from '../apimachinery/meta/user-info.ts';
export type { GetOptions } from '../apimachinery/meta/write-options.ts';
export { matchesFields } from '../apimachinery/selectors/field-selector.ts';
export { matchesLabels } from '../apimachinery/selectors/label-selector.ts';
export { type Status, StatusError } from '../apimachinery/status/status.ts';
/** One function per Status: `new StatusError(statuses.notFound({ group, resource }, name))`. */
export * as statuses from '../apimachinery/status/status-catalogue.ts';
export {
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../apimachinery/validation/field-issue.ts';
export { FieldPath } from '../apimachinery/validation/field-path.ts';
export { type NameRule, nameIsDnsSubdomain } from '../apimachinery/validation/name-rules.ts';
export type { Admission, AdmissionAttributes } from './admission.ts';
export type { AuthenticationResult, Authenticator } from './authenticator.ts';
export type { AuthorizationResult, Authorizer, RequestAttributes } from './authorizer.ts';
export { type ApiServer, createServer, type ServerOptions } from './create-server.ts';
export { GenericServer, type GenericServerOptions, type PrepareOptions } from './generic-server.ts';
export type { HealthCheck } from './health.ts';
export type { Answer, Handler, Incoming, WebSocketPeer } from './http/exchange.ts';
export { defineResource } from './resource/define-resource.ts';
export { delegateStore } from './resource/delegate-store.ts';
export { type ActionContext, action, type ResourceAction } from './resource/kit/action.ts';
export type { HookContext } from './resource/kit/hook-context.ts';
export type { DeclaredFields, DraftIdentity, ObjectIdentity } from './resource/kit/resource-object.ts';
export type {
  CellValue,
  FunctionColumn,
  FunctionColumns,
  ResourceColumn,
  ResourceHooks,
  ResourceOptions,
  ScalePaths,
  SpokeVersion,
} from './resource/kit/resource-options.ts';
export { roundTripProblems } from './resource/kit/round-trip.ts';
export {
  atomic,
  fieldNumber,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  rule,
  rules,
} from './resource/kit/schema-helpers.ts';
export type { LibrarySchema, SchemaSource, ValueOf } from './resource/kit/schema-source.ts';
export type { ResourceStream, StreamHandler, StreamOptions } from './resource/kit/stream.ts';
export { openResource } from './resource/open-resource.ts';
export type { RegistryHost } from './resource/registry-host.ts';
export type { ResourceDefinition, SubresourceDefinition } from './resource/resource-definition.ts';
export type {
  CreateRequest,
  DeleteAnswer,
  DeleteRequest,
  ListPage,
  ObjectChange,
  ResourceContext,
  ResourceStore,
  ResourceWatch,
  ResourceWatchSink,
  UpdateRequest,
  WatchRequest,
  WriteAnswer,
} from './resource/resource-store.ts';
export type { Strategy, StrategyContext } from './resource/strategy.ts';
export type { VersionDefinition } from './resource/version-definition.ts';
export { ResourceServer, type ResourceServerOptions } from './resource-server.ts';
