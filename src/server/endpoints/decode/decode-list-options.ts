/**
 * The list options of list, watch and deletecollection. The field selector contains only fields that the version can
 * select by.
 */

import { quote } from '../../../apimachinery/go-format.ts';
import { type ListOptions, readListOptions } from '../../../apimachinery/meta/list-options.ts';
import {
  type FieldSelector,
  fieldSelectorOf,
  isEveryField,
  requiredFieldValue,
} from '../../../apimachinery/selectors/field-selector.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest } from '../../../apimachinery/status/status-catalogue.ts';
import type { ServerRequest } from '../../http/server-request.ts';
import { checkedOptions, type RequestScope } from '../endpoint.ts';

/**
 * Reads the options of a request. Throws the 400 for malformed options and unsupported fields, and the 422 for invalid
 * ones. A name in the path is added to the field selector, or must agree with it.
 */
export function listOptionsOf(scope: RequestScope, request: ServerRequest): ListOptions {
  const options = checkedOptions(readListOptions(request.info.params), 'ListOptions');
  checkSelectableFields(scope, options.fieldSelector);
  const { name } = request.info;
  if (name === '') return options;
  if (isEveryField(options.fieldSelector))
    return { ...options, fieldSelector: fieldSelectorOf([{ field: 'metadata.name', operator: '=', value: name }]) };
  if (requiredFieldValue(options.fieldSelector, 'metadata.name') !== name)
    throw new StatusError(badRequest("fieldSelector metadata.name doesn't match requested name"));
  return options;
}

/** Throws the 400 for a field that the version cannot select by. */
export function checkSelectableFields({ version, namespaced }: RequestScope, selector: FieldSelector): void {
  const { selectableFields } = version;
  // Kinds with selectable fields of their own use another message, as in the reference.
  const hasOwnList = selectableFields.length > 0 || version.typedItems === true;
  for (const { field } of selector.terms) {
    if (field === 'metadata.name' || selectableFields.includes(field)) continue;
    if (field === 'metadata.namespace' && (namespaced || !hasOwnList)) continue;
    const message = hasOwnList
      ? `field label not supported: ${field}`
      : `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
    throw new StatusError(badRequest(message));
  }
}
