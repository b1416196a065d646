/**
 * Admission: what may look at a write, change it or refuse it, after authorization and before storage. Invariant: a plugin refuses by throwing a
 * StatusError; it changes the object only in `admit`, and `validate` runs after every `admit` of every plugin.
 */
import type { GroupVersionKind, GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionAttributes {
  readonly operation: Operation;
  /** Of the request, as is `object`. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  /** '' for a create that leaves the name to the server, and for deletecollection. */
  readonly name: string;
  readonly namespace: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The new object in the request's version; undefined for DELETE. `admit` changes it in place or replaces it. */
  object: JsonObject | undefined;
  /** The stored object in the request's version; undefined for CREATE and CONNECT, and for DELETE before it was read. */
  readonly oldObject: JsonObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as an object with its type fields. */
  readonly options: JsonObject;
  warn(text: string): void;
  /** For the audit event; the key is `<plugin>/<name>`. */
  annotate(key: string, value: string): void;
}

export interface AdmissionPlugin {
  /** As `--enable-admission-plugins` spells it. */
  readonly name: string;
  /** The resources that it looks at, with their subresources, as `pods` or `ingresses.networking.k8s.io`. Default: all of them. */
  readonly resources?: readonly string[];
  handles(operation: Operation): boolean;
  admit?(attributes: AdmissionAttributes): MaybePromise<void>;
  validate?(attributes: AdmissionAttributes): MaybePromise<void>;
}

/** What endpoints call: all plugins in order. Nothing is to be done for an operation that nobody handles. */
export interface Admission {
  handles(operation: Operation): boolean;
  admit(attributes: AdmissionAttributes): MaybePromise<void>;
  validate(attributes: AdmissionAttributes): MaybePromise<void>;
}

export const NO_ADMISSION: Admission = {
  handles: () => false,
  admit: () => undefined,
  validate: () => undefined,
};
