/**
 * DefaultStorageClass and DefaultIngressClass: what names no class gets the one that is marked as the default. Invariant: of several defaults the newest counts, and of those
 * made at the same time the first by name, so that every server chooses the same.
 */
import { annotationsOf, nameOf } from '../../apimachinery/meta/meta.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import { specOf } from '../shared/object-fields.ts';

/** The annotation by which claims named their class before there was a field. */
export const CLAIM_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function defaultStorageClass(classes: Lister): AdmissionPlugin {
  return defaulting(classes, {
    name: 'DefaultStorageClass',
    resource: 'persistentvolumeclaims',
    field: 'storageClassName',
    classAnnotation: CLAIM_CLASS_ANNOTATION,
    defaultAnnotations: [
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ],
  });
}

export function defaultIngressClass(classes: Lister): AdmissionPlugin {
  return defaulting(classes, {
    name: 'DefaultIngressClass',
    resource: 'ingresses.networking.k8s.io',
    field: 'ingressClassName',
    classAnnotation: 'kubernetes.io/ingress.class',
    defaultAnnotations: ['ingressclass.kubernetes.io/is-default-class'],
  });
}

interface Defaulting {
  readonly name: string;
  readonly resource: string;
  /** Of the spec. */
  readonly field: string;
  readonly classAnnotation: string;
  readonly defaultAnnotations: readonly string[];
}

function defaulting(classes: Lister, what: Defaulting): AdmissionPlugin {
  return {
    name: what.name,
    resources: [what.resource],
    handles: (operation) => operation === 'CREATE',
    admit: ({ object, subresource }) => {
      if (object === undefined || subresource !== '') return undefined;
      const spec = specOf(object);
      if (spec[what.field] !== undefined || annotationsOf(object)[what.classAnnotation] !== undefined) return undefined;
      return andThen(classes.fresh(), () => {
        const found = newestDefault(classes.list(), what.defaultAnnotations);
        if (found !== undefined) spec[what.field] = nameOf(found);
      });
    },
  };
}

export function newestDefault(classes: readonly JsonObject[], annotations: readonly string[]): JsonObject | undefined {
  let newest: JsonObject | undefined;
  // Classes come in order of their names, and times as text are in order of time.
  for (const found of classes) {
    const marks = annotationsOf(found);
    if (!annotations.some((annotation) => marks[annotation] === 'true')) continue;
    if (newest === undefined || createdAt(found) > createdAt(newest)) newest = found;
  }
  return newest;
}

function createdAt(object: JsonObject): string {
  return textAt(object, 'metadata', 'creationTimestamp');
}
