/** Columns of webhook configurations, policies and bindings. */
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, type Column, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';

export const webhookTable: () => TableDefinition = tableOf(
  NAME,
  column('Webhooks', 'How many webhooks it holds.', (object) => objectsAt(object, 'webhooks').length, {
    type: 'integer',
  }),
  AGE,
);

const PARAM_KIND: Column = column('ParamKind', 'The kind of its parameters.', (object) => {
  const kind = objectAt(object, 'spec', 'paramKind');
  return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
});

export const validatingPolicyTable: () => TableDefinition = tableOf(
  NAME,
  column('Validations', 'How many validations it holds.', (object) => objectsAt(object, 'spec', 'validations').length, {
    type: 'integer',
  }),
  PARAM_KIND,
  AGE,
);

export const mutatingPolicyTable: () => TableDefinition = tableOf(
  NAME,
  column('Mutations', 'How many mutations it holds.', (object) => objectsAt(object, 'spec', 'mutations').length, {
    type: 'integer',
  }),
  PARAM_KIND,
  AGE,
);

export const policyBindingTable: () => TableDefinition = tableOf(
  NAME,
  column('PolicyName', 'The policy that it binds.', (object) => textAt(object, 'spec', 'policyName')),
  column('ParamRef', 'The parameters.', paramText),
  AGE,
);

function paramText(binding: JsonObject): string {
  const reference = objectAt(binding, 'spec', 'paramRef');
  if (reference === undefined) return '<unset>';
  const name = textAt(reference, 'name');
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`;
  const selector = objectAt(reference, 'selector');
  return selector === undefined ? '<unset>' : goSelectorText(selector);
}

/** A label selector as Go prints the struct. */
function goSelectorText(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels') ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${String(value)},`)
    .join('');
  const expressions = objectsAt(selector, 'matchExpressions')
    .map((one) => {
      const values = Array.isArray(one['values']) ? one['values'].map(String).join(' ') : '';
      return `LabelSelectorRequirement{Key:${textAt(one, 'key')},Operator:${textAt(one, 'operator')},Values:[${values}],},`;
    })
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
