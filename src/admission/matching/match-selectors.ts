/** The namespace and object selectors of webhooks and policies. */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { isEverything } from '../../apimachinery/selectors/label-selector.ts';
import { compileLabelSelectorForRecord, type LabelRecord } from '../../apimachinery/selectors/label-selector-match.ts';
import {
  type LabelSelectorObject,
  labelSelectorFromObject,
} from '../../apimachinery/selectors/label-selector-object.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError, notFound } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { isNamespaces } from './match-rules.ts';

/** Undefined: every object is selected. */
export type LabelTest = ((labels: LabelRecord | undefined) => boolean) | undefined;

/**
 * Compiles a selector of a configuration. An absent or empty one selects everything. An invalid one, which only an
 * older version can have stored, is a 500 for each request that it is applied to.
 */
export function compileSelector(selector: JsonObject | undefined): LabelTest {
  if (selector === undefined) return undefined;
  const converted = labelSelectorFromObject(selector as LabelSelectorObject);
  if (!converted.ok) {
    const { message } = converted;
    return () => {
      throw new StatusError(internalError(message));
    };
  }
  return isEverything(converted.selector) ? undefined : compileLabelSelectorForRecord(converted.selector);
}

/**
 * Reports whether the namespace of the request is selected. Requests to cluster-scoped objects are always selected,
 * except those to Namespaces. For a create or an update of a Namespace, the labels of the new object count. Throws the
 * 404 if the namespace does not exist.
 */
export function matchesNamespace(test: LabelTest, attributes: AdmissionAttributes): MaybePromise<boolean> {
  const { resource, subresource, operation, namespace, object } = attributes;
  const ofNamespaces = isNamespaces(resource);
  if (test === undefined || (namespace === '' && !ofNamespaces)) return true;
  const isOwn = ofNamespaces && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
  if (isOwn && object !== undefined) return test(labelsOf(object));
  return andThen(attributes.namespaceObject(), (found) => {
    if (found === undefined) throw new StatusError(notFound({ group: '', resource: 'namespaces' }, namespace));
    return test(labelsOf(found));
  });
}

/** Reports whether the new or the old object is selected. */
export function matchesObject(test: LabelTest, { object, oldObject }: AdmissionAttributes): boolean {
  return (
    test === undefined ||
    (object !== undefined && hasMetadata(object) && test(labelsOf(object))) ||
    (oldObject !== undefined && hasMetadata(oldObject) && test(labelsOf(oldObject)))
  );
}

function labelsOf(object: JsonObject): LabelRecord | undefined {
  return objectAt(object, 'metadata', 'labels') as LabelRecord | undefined;
}

/** Options of a connection have no metadata. */
function hasMetadata(object: JsonObject): boolean {
  return objectAt(object, 'metadata') !== undefined;
}
