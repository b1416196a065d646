/**
 * Hooks: the functions of a webhook program, typed by kind tokens. `mutating`, `validating` and `converting` make
 * values without a type parameter, so that one list may contain hooks of several kinds.
 */
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { DeepReadonly, ObjectBase } from '../client/object-types.ts';
import type {
  MatchCondition,
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from '../kinds/api/admissionregistration/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Problem } from './problem.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The user who sent the request to the API server. */
export interface RequestUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * One request to the API server, as a hook sees it. A hook is called once per review; the API server may send several
 * reviews for one request, so a hook must give the same answer when it sees its own change again.
 */
export interface AdmissionContext<T> {
  /**
   * The object that the request would store, in the version of the hook's kind. On DELETE: the object that would be
   * deleted. It is frozen at every depth; `draft(object)` makes a copy to change.
   */
  readonly object: DeepReadonly<T>;
  /** The stored object, frozen. Undefined on CREATE and CONNECT. */
  readonly oldObject: DeepReadonly<T> | undefined;
  readonly operation: Operation;
  /** The name of the object; '' on CREATE with `generateName`. */
  readonly name: string;
  /** '' for objects without a namespace. */
  readonly namespace: string;
  /** `status` or `scale`; '' for the object itself. */
  readonly subresource: string;
  /** True if the API server will store nothing: the hook must have no side effects. */
  readonly dryRun: boolean;
  readonly user: RequestUser;
  /** The uid of the review, for logs. */
  readonly uid: string;
  /** The options of the request, such as `{ fieldManager: 'kubectl' }`; undefined if the API server sent none. */
  readonly options: Readonly<Record<string, unknown>> | undefined;
  /** Aborts when the API server stops waiting: at the timeout of the webhook, or when it closes the connection. */
  readonly signal: AbortSignalLike;
  /** Adds a warning, which the API server sends to its client. Use at most 256 characters. */
  warn(text: string): void;
  /** Adds an annotation to the audit event. The API server puts the name of the webhook before the key. */
  annotate(key: string, value: string): void;
}

/**
 * Changes an object. Returns the object as it should be; the JSON patch is computed. Undefined changes nothing. A
 * thrown StatusError, such as `denied(...)`, refuses the request. Any other error is logged and answered with the code
 * 500, so that the failure policy of the webhook decides.
 */
export type Mutate<T> = (context: AdmissionContext<T>) => MaybePromise<DeepReadonly<T> | undefined>;

/**
 * Checks an object. Returns the problems; an empty list or undefined admits the request. Problems refuse it with a
 * Status that has the code 422, the reason Invalid, and a cause for each problem. Errors are as in `Mutate`.
 */
export type Validate<T> = (context: AdmissionContext<T>) => MaybePromise<readonly Problem[] | undefined>;

/** The part of a webhook's configuration that mutating and validating hooks share. Fields are those of the API. */
export interface HookOptions {
  /**
   * The name of the hook, a DNS label or several of them. It begins the name of the webhook and ends its path. Default:
   * `pods` for core kinds, `deployments.apps` for others. Needed for a second hook of the same kind.
   */
  readonly name?: string;
  /**
   * Which resources the hook gets; the defaults are group, version, plural and scope of the kind. With it, reviews of
   * every kind are accepted: `{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] }`.
   */
  readonly rule?: Omit<RuleWithOperations, 'operations'>;
  /** The decision of the API server if the webhook cannot be called. Default Fail. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Default Equivalent: the API server converts objects of other versions to the version of the kind. */
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  /** Default None. With NoneOnDryRun the hook must look at `dryRun`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** 1 to 30. Default 10. */
  readonly timeoutSeconds?: number;
  /** Default: every namespace. */
  readonly namespaceSelector?: ValidatingWebhook['namespaceSelector'];
  /** Default: every object. */
  readonly objectSelector?: ValidatingWebhook['objectSelector'];
  /** CEL expressions that must all be true. Default none. */
  readonly matchConditions?: readonly MatchCondition[];
}

export interface MutatingOptions extends HookOptions {
  /** Default CREATE and UPDATE. There is nothing to change on DELETE. */
  readonly operations?: readonly Exclude<Operation, 'DELETE'>[];
  /** IfNeeded: called again if a later plugin changes the object. Default Never. */
  readonly reinvocationPolicy?: MutatingWebhook['reinvocationPolicy'];
}

export interface ValidatingOptions extends HookOptions {
  /** Default CREATE and UPDATE. */
  readonly operations?: readonly Operation[];
}

/** A hook of either type, without the type of its objects. */
interface AnyHook<Options> {
  readonly kind: Kind<unknown>;
  readonly options: Options;
}

export interface MutatingHook extends AnyHook<MutatingOptions> {
  readonly type: 'mutate';
  /** Calls the function of the program; see `Mutate`. */
  run(context: AdmissionContext<unknown>): MaybePromise<unknown>;
}

export interface ValidatingHook extends AnyHook<ValidatingOptions> {
  readonly type: 'validate';
  /** Calls the function of the program; see `Validate`. */
  run(context: AdmissionContext<unknown>): MaybePromise<readonly Problem[] | undefined>;
}

export type AdmissionHook = MutatingHook | ValidatingHook;

/** Declares a hook that changes objects of the kind. */
export function mutating<T>(kind: Kind<T>, mutate: Mutate<T>, options: MutatingOptions = {}): MutatingHook {
  return { type: 'mutate', kind, options, run: (context) => mutate(context as AdmissionContext<T>) };
}

/** Declares a hook that checks objects of the kind. */
export function validating<T>(kind: Kind<T>, validate: Validate<T>, options: ValidatingOptions = {}): ValidatingHook {
  return { type: 'validate', kind, options, run: (context) => validate(context as AdmissionContext<T>) };
}

/**
 * The conversion between a version and the hub. Both functions get a frozen object. `apiVersion`, `kind` and `metadata`
 * of the result may be left out: they are filled in from the input. A thrown error fails the conversion of the whole
 * review; its message goes to the client of the API server.
 */
export interface SpokeConversion<Spoke, Hub> {
  /** Converts an object of this version to the hub. */
  toHub(object: DeepReadonly<Spoke>): MaybePromise<Converted<Hub>>;
  /**
   * Converts an object of the hub to this version. `toHub(fromHub(x))` must equal `x`, or clients of the older version
   * lose fields.
   */
  fromHub(object: DeepReadonly<Hub>): MaybePromise<Converted<Spoke>>;
}

/** The result of a conversion. */
export type Converted<T> = DeepReadonly<Omit<T, keyof ObjectBase> & ObjectBase>;

/** A version that is converted to and from the hub, without the types of its objects. */
export interface Spoke<Hub> {
  readonly kind: Kind<unknown>;
  toHub(object: unknown): MaybePromise<Converted<Hub>>;
  fromHub(object: DeepReadonly<Hub>): MaybePromise<unknown>;
}

/** The conversion of all versions of one custom resource. */
export interface ConversionHook {
  readonly type: 'convert';
  readonly hub: Kind<unknown>;
  readonly spokes: readonly Spoke<unknown>[];
}

/** Declares a version beside the hub, for `converting`. */
export function spoke<Version, Hub>(kind: Kind<Version>, conversion: SpokeConversion<Version, Hub>): Spoke<Hub> {
  return {
    kind,
    toHub: (object) => conversion.toHub(object as DeepReadonly<Version>),
    fromHub: (object) => conversion.fromHub(object),
  };
}

/**
 * Declares the conversion of a custom resource: `hub` is the version that all others are converted through, usually the
 * stored one.
 */
export function converting<Hub>(hub: Kind<Hub>, ...spokes: readonly Spoke<Hub>[]): ConversionHook {
  return { type: 'convert', hub, spokes: spokes as unknown as readonly Spoke<unknown>[] };
}
