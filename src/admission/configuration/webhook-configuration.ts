/** The configurations of the plugins for webhooks and policies. */
import { type ConfigKind, configType, TEXT } from '../../apimachinery/codec/config-object.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

const ABSOLUTE = 'must be an absolute file path';

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

/** Checks the path of the kubeconfig, of which '' is none. `manifests` is the feature gate of manifest files. */
export function validateWebhookConfiguration(configuration: JsonObject, manifests: boolean): readonly FieldIssue[] {
  const file = textAt(configuration, 'kubeConfigFile');
  if (file === '' || file.startsWith('/')) return validateStaticManifests(configuration, manifests);
  return [invalid(FieldPath.of('kubeConfigFile'), file, ABSOLUTE)];
}

/** Checks the path of the folder with manifest files. `enabled` is the feature gate. */
export function validateStaticManifests(configuration: JsonObject, enabled: boolean): readonly FieldIssue[] {
  const folder = textAt(configuration, 'staticManifestsDir');
  if (folder === '') return [];
  const path = FieldPath.of('staticManifestsDir');
  if (!enabled) return [forbidden(path, 'needs --feature-gates=ManifestBasedAdmissionControlConfig=true')];
  return folder.startsWith('/') ? [] : [invalid(path, folder, ABSOLUTE)];
}
