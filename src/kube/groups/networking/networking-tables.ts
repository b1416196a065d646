/** Columns of the group networking.k8s.io. Invariant: cells are the reference's. */
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  formatLabelSelectorObject,
  type LabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { balancerAddresses } from '../core/service/service-table.ts';

export const ingressTable: () => TableDefinition = tableOf(
  NAME,
  column('Class', 'The IngressClass it asks for.', (object) => textAt(object, 'spec', 'ingressClassName') || '<none>'),
  column('Hosts', 'The hosts of its rules.', hostsText),
  column('Address', 'Where its load balancer is.', (object) => balancerAddresses(object).join(',')),
  column('Ports', 'Where it listens.', (object) => (objectsAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
  AGE,
);

export const ingressClassTable: () => TableDefinition = tableOf(
  column(
    'Name',
    'The name of the object.',
    (object) => {
      const isDefault =
        textAt(object, 'metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class') === 'true';
      return textAt(object, 'metadata', 'name') + (isDefault ? ' (default)' : '');
    },
    { format: 'name' },
  ),
  column('Controller', 'Who serves the class.', (object) => textAt(object, 'spec', 'controller')),
  column('Parameters', 'More about the class.', parametersText),
  AGE,
);

export const networkPolicyTable: () => TableDefinition = tableOf(
  NAME,
  column('Pod-Selector', 'The pods it is about.', (object) =>
    formatLabelSelectorObject((objectAt(object, 'spec', 'podSelector') ?? {}) as LabelSelectorObject),
  ),
  AGE,
);

export const serviceCidrTable: () => TableDefinition = tableOf(
  NAME,
  column('CIDRs', 'The networks.', (object) => textsAt(object, 'spec', 'cidrs').join(',')),
  AGE,
);

const IP_ADDRESS_COLUMNS = tableOf(NAME, column('ParentRef', 'What the address belongs to.', parentText));

/** The reference has a third cell, the age, without a column for it. */
export function ipAddressTable(): TableDefinition {
  const { columns, cells } = IP_ADDRESS_COLUMNS();
  return { columns, cells: (object, now) => [...cells(object, now), AGE.cell(object, now)] };
}

function hostsText(object: JsonObject): string {
  const rules = objectsAt(object, 'spec', 'rules');
  const shown: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (shown.length === 3) more = true;
    const host = textAt(rule, 'host');
    if (!more && host !== '') shown.push(host);
  }
  if (shown.length === 0) return '*';
  return shown.join(',') + (more ? ` + ${rules.length - 3} more...` : '');
}

function parametersText(object: JsonObject): string {
  const parameters = objectAt(object, 'spec', 'parameters');
  if (parameters === undefined) return '<none>';
  const group = textAt(parameters, 'apiGroup');
  const kind = textAt(parameters, 'kind') + (parameters['apiGroup'] === undefined ? '' : `.${group}`);
  return `${kind}/${textAt(parameters, 'name')}`;
}

function parentText(object: JsonObject): string {
  const parent = objectAt(object, 'spec', 'parentRef');
  if (parent === undefined) return '<none>';
  const [group, resource, namespace] = ['group', 'resource', 'namespace'].map((name) => textAt(parent, name));
  const groupResource = (group === '' ? `${resource}` : `${resource}.${group}`).toLowerCase();
  return `${groupResource}${namespace === '' ? '' : `/${namespace}`}/${textAt(parent, 'name')}`;
}
