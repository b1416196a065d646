/** The configurations of the plugins for webhooks and policies. */
import { type ConfigKind, configType, TEXT } from '../../apimachinery/codec/config-object.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

export const WEBHOOK_CONFIGURATION: ConfigKind = {
  kind: 'WebhookAdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  strict: true,
  view: configType('v1.WebhookAdmission', { kubeConfigFile: TEXT, staticManifestsDir: TEXT }),
};

/** Returns the kind of the configuration of ValidatingAdmissionPolicy or MutatingAdmissionPolicy. */
export function policyConfiguration(plugin: string): ConfigKind {
  return {
    kind: `${plugin}Configuration`,
    apiVersions: ['apiserver.config.k8s.io/v1'],
    strict: true,
    view: configType(`v1.${plugin}Configuration`, { staticManifestsDir: TEXT }),
  };
}

/** Checks the path of the kubeconfig. '' is none. */
export function validateWebhookConfiguration(configuration: JsonObject): readonly FieldIssue[] {
  const file = textAt(configuration, 'kubeConfigFile');
  if (file === '' || file.startsWith('/')) return validateStaticManifests(configuration);
  return [invalid(FieldPath.of('kubeConfigFile'), file, 'must be an absolute file path')];
}

/** Refuses manifests that are not in the API: the alpha feature ManifestBasedAdmissionControlConfig does not exist. */
export function validateStaticManifests(configuration: JsonObject): readonly FieldIssue[] {
  if (textAt(configuration, 'staticManifestsDir') === '') return [];
  return [
    forbidden(
      FieldPath.of('staticManifestsDir'),
      'the feature ManifestBasedAdmissionControlConfig is not supported; create the objects through the API',
    ),
  ];
}
