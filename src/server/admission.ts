/**
 * The interface of admission: plugins that inspect a write, change it or refuse it, after authorization and before
 * storage.
 *
 * Order: every `admit` of every plugin runs before any `validate`. For a create or an update, `admit` runs before the
 * store's own defaulting and validation, and `validate` runs inside the store on the object that will be written. A
 * store that retries an update calls both again with the new state.
 */
import type { GroupVersionKind, GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { VersionDefinition } from './resource/version-definition.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * One write as plugins see it. One record serves both halves of admission of one attempt, so a plugin may keep state
 * between its `admit` and its `validate`.
 */
export interface AdmissionAttributes {
  readonly operation: Operation;
  /** The kind of the request, which is also the kind of `object`. */
  readonly kind: GroupVersionKind;
  /** The resource of the request. The same object in every request to that resource. */
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  /** '' in `admit` of a create whose name the server will generate, and for deletecollection. */
  readonly name: string;
  readonly namespace: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The new object in the request's version; undefined for DELETE. `admit` changes it in place or replaces it. */
  object: JsonObject | undefined;
  /** The stored object in the request's version; undefined for CREATE and CONNECT. Must not be changed. */
  readonly oldObject: JsonObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, with type fields. */
  readonly options: JsonObject;
  /**
   * When the request must be answered, on the clock's monotonic axis. A plugin that calls out ends its call by then.
   */
  readonly deadline: number;
  /** The served versions of the resource, for plugins that match equivalent versions. */
  readonly versions: readonly VersionDefinition[];
  /** The version of `object`: one of `versions`, or that of a subresource with a kind of its own. */
  readonly version: VersionDefinition;
  /**
   * Whether the mutating half runs a second time. A plugin sets `wanted` when it changed the object in a way that the
   * plugins before it may have to see. The chain then sets `running` and calls every `admit` once more.
   */
  reinvocation: 'none' | 'wanted' | 'running';
  /** Converts a copy of an object from one version of the resource to another. Rejects if the conversion fails. */
  convert(object: JsonObject, from: VersionDefinition, to: VersionDefinition): MaybePromise<JsonObject>;
  /**
   * Returns the namespace of the request, read at most once per attempt; undefined for a cluster-scoped request, for a
   * namespace that does not exist, and on a server without namespaces. Must not be changed.
   */
  namespaceObject(): MaybePromise<JsonObject | undefined>;
  /**
   * Returns the state that a plugin keeps for this attempt, made on first use. `key` is an object of the plugin's own.
   */
  state<T>(key: object, create: () => T): T;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit event; the key is `<plugin>/<name>`. */
  annotate(key: string, value: string): void;
  /** Adds an annotation if the audit event contains the object of the request. `value` is called only then. */
  annotateRequest(key: string, value: () => string): void;
}

export interface AdmissionPlugin {
  /** The name in `--enable-admission-plugins`. */
  readonly name: string;
  /**
   * The resources that the plugin inspects, with their subresources: `pods`, `ingresses.networking.k8s.io`. Default:
   * all.
   */
  readonly resources?: readonly string[];
  /** Reports whether the plugin inspects an operation. Called once, when the chain is made. */
  handles(operation: Operation): boolean;
  /**
   * Called before the store's own defaulting and validation. May change or replace `attributes.object`. Refuses by
   * throwing, or rejecting with, a StatusError; the plugins after it are then not called.
   */
  admit?(attributes: AdmissionAttributes): MaybePromise<void>;
  /**
   * Called after every `admit`, with the object that will be written. Must not change anything. Refuses as `admit`
   * does.
   */
  validate?(attributes: AdmissionAttributes): MaybePromise<void>;
}

/**
 * All plugins in order, as the endpoints call them. `admit` and `validate` throw, or reject with, the StatusError of
 * the first plugin that refuses.
 */
export interface Admission {
  /** Reports whether any plugin inspects an operation. If not, the endpoints make no attributes. */
  handles(operation: Operation): boolean;
  /** Runs the mutating half. May change or replace `attributes.object`. */
  admit(attributes: AdmissionAttributes): MaybePromise<void>;
  /** Runs the validating half, with the object that will be written. */
  validate(attributes: AdmissionAttributes): MaybePromise<void>;
}

export const NO_ADMISSION: Admission = {
  handles: () => false,
  admit: () => undefined,
  validate: () => undefined,
};
