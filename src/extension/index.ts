/**
 * The entry point `keelson/extension`: the SDK for extension API servers, which serve additional resources behind a
 * Kubernetes API server, or without one.
 *
 * ```ts
 * const server = createExtensionServer({ resources: [Account] });
 * await server.listen({ port: 8443 });
 * ```
 */
export type { AdmissionAttributes, AdmissionPlugin } from '../server/admission.ts';
export type { AuthenticationResult, TokenAuthenticator } from '../server/authenticator.ts';
export type { AuthorizationResult, Authorizer, RequestAttributes } from '../server/authorizer.ts';
export { defineResource } from '../server/resource/define-resource.ts';
export { type ActionContext, action, type ResourceAction } from '../server/resource/kit/action.ts';
export type { HookContext } from '../server/resource/kit/hook-context.ts';
export type { DeclaredFields, DraftIdentity, ObjectIdentity } from '../server/resource/kit/resource-object.ts';
export type {
  CellValue,
  FunctionColumn,
  FunctionColumns,
  ResourceColumn,
  ResourceHooks,
  ResourceOptions,
  ScalePaths,
  SpokeVersion,
} from '../server/resource/kit/resource-options.ts';
export { roundTripProblems } from '../server/resource/kit/round-trip.ts';
export {
  atomic,
  fieldNumber,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  rule,
  rules,
} from '../server/resource/kit/schema-helpers.ts';
export type { LibrarySchema, SchemaSource, ValueOf } from '../server/resource/kit/schema-source.ts';
export type { ResourceStream, StreamHandler, StreamOptions } from '../server/resource/kit/stream.ts';
export type { ResourceDefinition } from '../server/resource/resource-definition.ts';
export type { ReadOnlyRows, Row, RowChange, RowKey, Rows, RowWritten } from '../server/rows/rows.ts';
export type {
  AdmissionOptions,
  AuditFileOptions,
  AuthenticationOptions,
  AuthorizationOptions,
  ExtensionListenOptions,
  ExtensionServer,
  ExtensionServerOptions,
  IssuedCertificate,
  ListeningServer,
  ParentOptions,
} from './extension-server.ts';
export { type ManifestOptions, manifests } from './manifests/manifests.ts';
export { createExtensionServer } from './node/create-extension-server.ts';
export { type ComputedObject, type ComputedSource, computed, computedRows } from './rows/computed.ts';
export type { ColumnOption, ColumnType } from './rows/sql-names.ts';
export { type Query, type QueryResult, type Table, type TableOptions, table } from './rows/table.ts';
