/**
 * The plugins DefaultStorageClass and DefaultIngressClass. They set the default class of objects that name none.
 * Invariant: of several default classes the newest counts, and of equally old ones the first by name.
 */
import { annotationsOf, nameOf } from '../../apimachinery/meta/meta.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import { specOf } from '../../server/resource/strategy-fields.ts';

/** The annotation that preceded the field storageClassName. */
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
  /** The field of the spec that names the class. */
  readonly field: string;
  readonly classAnnotation: string;
  readonly defaultAnnotations: readonly string[];
}

function defaulting(classes: Lister, options: Defaulting): AdmissionPlugin {
  const { name, resource, field, classAnnotation, defaultAnnotations } = options;
  return {
    name,
    resources: [resource],
    handles: (operation) => operation === 'CREATE',
    admit: ({ object, subresource }) => {
      if (object === undefined || subresource !== '') return undefined;
      const spec = specOf(object);
      if (spec[field] !== undefined || annotationsOf(object)[classAnnotation] !== undefined) return undefined;
      return andThen(classes.fresh(), () => {
        const found = newestDefault(classes.list(), defaultAnnotations);
        if (found !== undefined) spec[field] = nameOf(found);
      });
    },
  };
}

export function newestDefault(classes: readonly JsonObject[], annotations: readonly string[]): JsonObject | undefined {
  let newest: JsonObject | undefined;
  // Listers return objects in order of name. RFC 3339 times compare as text.
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
