/**
 * The plugin DenyServiceExternalIPs, disabled by default. It refuses external IPs that the Service does not have yet.
 */

import { refusal } from '../../admission/refusal.ts';
import { textsAt } from '../../apimachinery/meta/object-fields.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';

export function denyServiceExternalIps(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    resources: ['services'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate: (attributes) => {
      const { object, oldObject, subresource } = attributes;
      if (object === undefined || subresource !== '') return;
      const old = oldObject === undefined ? [] : textsAt(oldObject, 'spec', 'externalIPs');
      if (textsAt(object, 'spec', 'externalIPs').some((address) => !old.includes(address)))
        throw refusal(attributes, 'Use of external IPs is denied by admission control');
    },
  };
}
