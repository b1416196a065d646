/** The types of objects in hooks: their metadata beside the fields that the schemas declare. */
import type { ValueOf } from './schema-source.ts';

/** The fields that every object has. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
}

/** An object that a hook may change: its labels, annotations and finalizers, and every field of `T`. */
export interface DraftIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Omit<ObjectIdentity['metadata'], 'labels' | 'annotations' | 'finalizers'> & {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
}

/** The fields of an object whose schemas are `Spec` and `Status`. */
export interface DeclaredFields<Spec, Status> {
  spec: ValueOf<Spec>;
  status?: ValueOf<Status>;
}
