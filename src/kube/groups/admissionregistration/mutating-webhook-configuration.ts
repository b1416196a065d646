/** The kind MutatingWebhookConfiguration. */
import { objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import { setDefault } from '../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../kube-context.ts';
import { ADMISSION_CATEGORIES, admissionVersion } from './admission-definitions.ts';
import { setWebhookDefaults, WEBHOOK_STRATEGY, webhookTable } from './webhook-rules.ts';

export const MUTATING_WEBHOOK_CONFIGURATION: KubeResource = {
  definition: storedResource({
    plural: 'mutatingwebhookconfigurations',
    categories: ADMISSION_CATEGORIES,
    scope: 'Cluster',
    versions: [
      admissionVersion({
        version: 'v1',
        kind: 'MutatingWebhookConfiguration',
        setDefaults: setMutatingWebhookDefaults,
        table: webhookTable,
      }),
    ],
    strategy: WEBHOOK_STRATEGY,
  }),
};

export function setMutatingWebhookDefaults(configuration: JsonObject): void {
  for (const webhook of objectsAt(configuration, 'webhooks')) {
    setWebhookDefaults(webhook);
    setDefault(webhook, 'reinvocationPolicy', 'Never');
  }
}
