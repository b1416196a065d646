/**
 * The builder of operators.
 *
 * ```ts
 * await operator('foo')
 *   .for(Foo, { when: 'generation' })
 *   .owns(Deployment)
 *   .reconcile(async ({ object: foo, apply, status }) => {
 *     const deployment = await apply(Deployment, { metadata: { name: foo.spec.deploymentName }, spec: specOf(foo) });
 *     const available = deployment.status?.availableReplicas ?? 0;
 *     status({ available }).condition('Ready', available === foo.spec.replicas, 'Scaled', `${available} available`);
 *   })
 *   .run({ transport, signal });
 * ```
 */
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { BugError } from '../base/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { createManager } from './create-manager.ts';
import type {
  FinalizerDefinition,
  ForOptions,
  Mapper,
  OperatorDefinition,
  OperatorOptions,
  References,
  WatchDefinition,
  WatchOptions,
} from './definition.ts';
import type { Manager, ManagerOptions } from './manager.ts';
import type { Finalize, Gone, Reconcile } from './reconcile.ts';

/** An operator without a kind. */
export interface NamedOperator {
  /** Sets the kind whose objects are reconciled. */
  for<T>(kind: Kind<T>, options?: ForOptions<T>): OperatorBuilder<T>;
}

/** An operator without its reconcile function. Every method returns a new builder. */
export interface OperatorBuilder<T> {
  /**
   * Watches objects of this kind. When one changes, the object that controls it is reconciled. `apply` creates such
   * objects.
   */
  owns<U>(kind: Kind<U>, options?: WatchOptions<U>): OperatorBuilder<T>;
  /**
   * Watches objects of another kind. When one changes, the objects that `map` returns are reconciled. `map` is a
   * function from the watched object, or `{ referencedBy }`, which returns the names of the watched objects to which an
   * object of the operator's kind refers.
   */
  watches<U>(kind: Kind<U>, map: Mapper<T, U> | References<T>, options?: WatchOptions<U>): OperatorBuilder<T>;
  /**
   * Runs `finalize` before an object is removed. The finalizer is added before the first reconcile of an object and
   * removed when `finalize` is done. Its name has the form `example.com/name`. Several finalizers run in the order of
   * these calls.
   */
  finalizer(name: string, finalize: Finalize<T>): OperatorBuilder<T>;
  /**
   * Sets a handler that is called when an object no longer exists, to drop data that the program keeps about it. To
   * clean up outside of the program, use `finalizer`.
   */
  gone(handler: Gone): OperatorBuilder<T>;
  reconcile(reconcile: Reconcile<T>): Operator<T>;
}

/** A complete operator. It does nothing before `run`, or before `run` of the manager with which it is registered. */
export interface Operator<T> {
  readonly definition: OperatorDefinition<T>;
  /** Adds the operator to a manager, which may run other operators, too. */
  register(manager: Manager): void;
  /** Runs the operator in a new manager until the signal aborts. Settles like `Manager.run`. */
  run(options: RunOptions): Promise<void>;
}

export interface RunOptions extends ManagerOptions {
  /** Stops the operator. Default: it never stops. */
  readonly signal?: AbortSignalLike;
}

/**
 * Begins the definition of an operator. The name is the field manager of its applies, the source of its events, and a
 * label of its log lines and metrics. It should be unique in the cluster.
 */
export function operator(name: string, options: OperatorOptions = {}): NamedOperator {
  if (name === '' || name.length > MAX_NAME) throw new BugError(`an operator's name has 1 to ${MAX_NAME} characters`);
  return {
    for: <T>(kind: Kind<T>, forOptions: ForOptions<T> = {}) =>
      builder<T>({ name, kind, options, forOptions, watches: [], finalizers: [], gone: undefined }),
  };
}

/** The limit of Kubernetes for the names of field managers. */
const MAX_NAME = 128;

type Unfinished<T> = Omit<OperatorDefinition<T>, 'reconcile'>;

function builder<T>(definition: Unfinished<T>): OperatorBuilder<T> {
  const watch = (kind: Kind<unknown>, map: WatchDefinition<T>['map'], when: unknown): OperatorBuilder<T> => {
    const added = { kind, map, when } as WatchDefinition<T>;
    return builder({ ...definition, watches: [...definition.watches, added] });
  };
  return {
    owns: (kind, options = {}) => watch(kind, 'owner', options.when),
    watches: (kind, map, options = {}) => watch(kind, map as WatchDefinition<T>['map'], options.when),
    finalizer: (name, finalize) =>
      builder({ ...definition, finalizers: withFinalizer(definition.finalizers, { name, finalize }) }),
    gone: (gone) => builder({ ...definition, gone }),
    reconcile: (reconcile) => complete({ ...definition, reconcile }),
  };
}

function complete<T>(definition: OperatorDefinition<T>): Operator<T> {
  return {
    definition,
    register: (manager) => manager.register(definition),
    run: async ({ signal = new AbortController().signal, ...options }) => {
      const manager = createManager(options);
      manager.register(definition);
      await manager.run({ signal });
    },
  };
}

/** `example.com/name`, as the validation of custom resources requires. */
const FINALIZER = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function withFinalizer<T>(
  finalizers: readonly FinalizerDefinition<T>[],
  added: FinalizerDefinition<T>,
): readonly FinalizerDefinition<T>[] {
  if (!FINALIZER.test(added.name))
    throw new BugError(`${JSON.stringify(added.name)} is not a finalizer: use the form example.com/name`);
  if (finalizers.some(({ name }) => name === added.name))
    throw new BugError(`the finalizer ${added.name} is defined twice`);
  return [...finalizers, added];
}
