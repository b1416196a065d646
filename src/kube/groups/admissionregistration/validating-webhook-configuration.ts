/** The kind ValidatingWebhookConfiguration. */
import { objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { KubeResource } from '../../kube-context.ts';
import { ADMISSION_CATEGORIES, admissionVersion } from './admission-definitions.ts';
import { setWebhookDefaults, WEBHOOK_STRATEGY, webhookTable } from './webhook-rules.ts';

export const VALIDATING_WEBHOOK_CONFIGURATION: KubeResource = {
  definition: storedResource({
    plural: 'validatingwebhookconfigurations',
    categories: ADMISSION_CATEGORIES,
    scope: 'Cluster',
    versions: [
      admissionVersion({
        version: 'v1',
        kind: 'ValidatingWebhookConfiguration',
        setDefaults: setValidatingWebhookDefaults,
        table: webhookTable,
      }),
    ],
    strategy: WEBHOOK_STRATEGY,
  }),
};

export function setValidatingWebhookDefaults(configuration: JsonObject): void {
  for (const webhook of objectsAt(configuration, 'webhooks')) setWebhookDefaults(webhook);
}
