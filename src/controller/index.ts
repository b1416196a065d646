/**
 * `keelson/controller`: operators. An operator watches objects and makes the actual state match the state that they
 * describe.
 *
 * ```ts
 * const { transport } = await connect(); // keelson/node
 * await operator('foo')
 *   .for(Foo, { when: 'generation' })
 *   .owns(Deployment)
 *   .reconcile(async ({ object: foo, apply, status }) => {
 *     const deployment = await apply(Deployment, { metadata: { name: foo.metadata.name }, spec: specOf(foo) });
 *     status({ availableReplicas: deployment.status?.availableReplicas ?? 0 });
 *   })
 *   .run({ transport, signal });
 * ```
 */
export type { BackoffPolicy } from '../base/backoff.ts';
export type { LogFields, Logger } from '../base/logger.ts';
export {
  type CachedKind,
  type CachedKindOptions,
  type CachedReader,
  type CacheOptions,
  cached,
  stripManagedFields,
} from './cache.ts';
export { consoleLogger, type LogLevel } from './console-logger.ts';
export { createManager } from './create-manager.ts';
export type {
  FinalizerDefinition,
  ForOptions,
  MappedKey,
  Mapper,
  OperatorDefinition,
  OperatorOptions,
  References,
  WatchDefinition,
  WatchOptions,
} from './definition.ts';
export type { HotLoopOptions } from './hot-loop.ts';
export { formatKey, keyOf, type ObjectName, parseKey } from './keys.ts';
export type { Manager, ManagerOptions, ServePages } from './manager.ts';
export type { HealthCheck, PageHandler, PageRequest, PageResponse } from './manager-pages.ts';
export {
  type NamedOperator,
  type Operator,
  type OperatorBuilder,
  operator,
  type RunOptions,
} from './operator.ts';
export { controllerOf, type OwnerKey, ownersOf, setControllerReference } from './owners.ts';
export type { ObjectEvent, Predicate, PredicateFunction } from './predicates.ts';
export type {
  CreateOrPatchResult,
  EventOptions,
  Finalize,
  Gone,
  GoneContext,
  OwnedOptions,
  Reconcile,
  ReconcileContext,
  ReturnedResult,
  StatusDraft,
  StatusFields,
} from './reconcile.ts';
export type { KeyJournal, ReconcileJournal, ReconcileRecord } from './reconcile-journal.ts';
export {
  type AfterResult,
  after,
  type DoneResult,
  done,
  type FailedResult,
  failed,
  type Result,
  type TerminalResult,
  type TimeSpan,
  terminal,
} from './result.ts';
export type { RunContext, Runnable } from './runnable.ts';
