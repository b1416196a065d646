/** The configuration of the plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook. */
import { type ConfigKind, configType, TEXT } from '../../apimachinery/codec/config-object.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

export const WEBHOOK_CONFIGURATION: ConfigKind = {
  kind: 'WebhookAdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  strict: true,
  view: configType('v1.WebhookAdmission', { kubeConfigFile: TEXT, staticManifestsDir: TEXT }),
};

/** Checks the path of the kubeconfig. '' is none. */
export function validateWebhookConfiguration(configuration: JsonObject): readonly FieldIssue[] {
  const file = textAt(configuration, 'kubeConfigFile');
  if (file === '' || file.startsWith('/')) return [];
  return [invalid(FieldPath.of('kubeConfigFile'), file, 'must be an absolute file path')];
}
