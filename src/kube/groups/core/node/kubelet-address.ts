/** The address at which a node's kubelet is reached. */
import { objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../../apimachinery/status/status.ts';
import { unknown } from '../../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

/** The default of `--kubelet-preferred-address-types`. */
const PREFERRED_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** The first address of the most preferred type. Throws StatusError if the node has no address of a known type. */
export function kubeletAddress(node: JsonObject): string {
  const addresses = objectsAt(node, 'status', 'addresses');
  for (const type of PREFERRED_TYPES) {
    const found = addresses.find((address) => textAt(address, 'type') === type);
    if (found !== undefined) return textAt(found, 'address');
  }
  const known = addresses.map((address) => `{${textAt(address, 'type')} ${textAt(address, 'address')}}`).join(' ');
  throw new StatusError(unknown(`no preferred addresses found; known addresses: [${known}]`));
}
