/**
 * The plugin PersistentVolumeClaimResize. A claim can request more storage only if it is bound and its StorageClass
 * allows volume expansion.
 */

import { refusal } from '../../admission/refusal.ts';
import { annotationsOf } from '../../apimachinery/meta/meta.ts';
import { fieldAt, flagAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { Quantity } from '../../apimachinery/scalars/quantity.ts';
import { compareQuantity } from '../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import { specOf } from '../../server/resource/strategy-fields.ts';
import { amountOf } from '../shared/resource-lists.ts';
import { CLAIM_CLASS_ANNOTATION } from './default-class.ts';

export function persistentVolumeClaimResize(classes: Lister): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['persistentvolumeclaims'],
    handles: (operation) => operation === 'UPDATE',
    validate: (attributes) => {
      const { object, oldObject, subresource } = attributes;
      if (object === undefined || oldObject === undefined || subresource !== '') return undefined;
      if (compareQuantity(sizeOf(object), sizeOf(oldObject)) <= 0) return undefined;
      if (textAt(oldObject, 'status', 'phase') !== 'Bound')
        throw refusal(attributes, 'Only bound persistent volume claims can be expanded');
      return andThen(classes.fresh(), () => {
        const name = claimClass(object);
        const found = name === '' || name !== claimClass(oldObject) ? undefined : classes.get('', name);
        if (found !== undefined && flagAt(found, 'allowVolumeExpansion')) return;
        const because =
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
        throw refusal(attributes, because);
      });
    },
  };
}

function sizeOf(claim: JsonObject): Quantity {
  return amountOf(fieldAt(claim, 'spec', 'resources', 'requests', 'storage'));
}

/** Returns the name of a claim's StorageClass, and '' if it has none. */
export function claimClass(claim: JsonObject): string {
  return annotationsOf(claim)[CLAIM_CLASS_ANNOTATION] ?? textAt(specOf(claim), 'storageClassName');
}
