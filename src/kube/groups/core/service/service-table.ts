/** The columns of Services. */
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { compareUtf8 } from '../../../../base/utf8.ts';
import { AGE, column, labelsText, NAME, tableOf } from '../../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';

export const serviceTable: () => TableDefinition = tableOf(
  NAME,
  column('Type', 'How the Service is reached.', (object) => textAt(object, 'spec', 'type')),
  column('Cluster-IP', 'Its address in the cluster.', (object) => textsAt(object, 'spec', 'clusterIPs')[0] ?? '<none>'),
  column('External-IP', 'Its addresses outside the cluster.', externalIps),
  column('Port(s)', 'Its ports, with the ports of nodes.', (object) => portsText(object) || '<none>'),
  AGE,
  column('Selector', 'The labels of its pods.', (object) => labelsText(objectAt(object, 'spec', 'selector')), {
    priority: 1,
  }),
);

function externalIps(object: JsonObject): string {
  const external = textsAt(object, 'spec', 'externalIPs');
  switch (textAt(object, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer':
      return [...balancerAddresses(object), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(object, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

/** The distinct addresses in `status.loadBalancer`, sorted. */
export function balancerAddresses(object: JsonObject): readonly string[] {
  const addresses = objectsAt(object, 'status', 'loadBalancer', 'ingress')
    .map((ingress) => textAt(ingress, 'ip') || textAt(ingress, 'hostname'))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort(compareUtf8);
}

function portsText(object: JsonObject): string {
  return objectsAt(object, 'spec', 'ports')
    .map((port) => {
      const nodePort = numberAt(port, 'nodePort');
      return `${numberAt(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textAt(port, 'protocol')}`;
    })
    .join(',');
}
