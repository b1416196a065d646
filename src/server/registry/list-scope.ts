/**
 * Computes the range of keys that a list or a watch reads.
 * Invariant: a narrower range never changes the result, because the filter still checks every field.
 */
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import { type FieldSelector, requiredFieldValue } from '../../apimachinery/selectors/field-selector.ts';
import { nameIsDnsLabel } from '../../apimachinery/validation/name-rules.ts';
import { checkPathSegmentName } from '../../apimachinery/validation/name-syntax.ts';
import type { CacheRange, Filter } from '../../cache/cache.ts';
import { selectorFilter } from '../../cache/selector-filter.ts';
import type { ObjectKeys } from './object-keys.ts';

export interface ListScope {
  readonly range: CacheRange;
  /** Keys in continue tokens are relative to this prefix. */
  readonly prefix: string;
  /** Undefined if every object in the range is selected. */
  readonly filter: Filter | undefined;
  /** Whether the selector names one object by `metadata.name`. */
  readonly single: boolean;
}

export function listScope(keys: ObjectKeys, requestNamespace: string, options: ListOptions): ListScope {
  const { labelSelector: labels, fieldSelector: fields } = options;
  const namespace = keys.namespaced && requestNamespace === '' ? selectedNamespace(fields) : requestNamespace;
  const prefix = keys.prefix(namespace);
  const filter = selectorFilter({ labels, fields, fieldOfKey: keys.fieldOfKey });
  // The range must be the same for all pages of a list, and tokens are relative to a prefix.
  const narrow = filter !== undefined && options.continueToken === '';
  const name = narrow ? requiredFieldValue(fields, 'metadata.name') : undefined;
  const single =
    name !== undefined &&
    checkPathSegmentName(name).length === 0 &&
    name !== '' &&
    (!keys.namespaced || namespace !== '');
  const range = single ? { key: keys.key(namespace, name) } : { prefix };
  return { range, prefix, filter, single };
}

/** Returns the namespace that a field selector requires; '' if it requires none or an invalid one. */
function selectedNamespace(fields: FieldSelector): string {
  const namespace = requiredFieldValue(fields, 'metadata.namespace') ?? '';
  return namespace !== '' && nameIsDnsLabel(namespace, false).length === 0 ? namespace : '';
}
