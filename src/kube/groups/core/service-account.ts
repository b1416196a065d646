/** The kind ServiceAccount. */

import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { AGE, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { SubresourceDefinition } from '../../../server/resource/resource-definition.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const ENFORCE_MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

const serviceAccountTable: () => TableDefinition = tableOf(NAME, AGE);

/** `token` is the subresource that issues tokens. */
export function serviceAccountResource(token: SubresourceDefinition): KubeResource {
  return {
    definition: storedResource({
      plural: 'serviceaccounts',
      shortNames: ['sa'],
      scope: 'Namespaced',
      versions: [builtInVersion({ group: '', version: 'v1', kind: 'ServiceAccount', table: serviceAccountTable })],
      strategy: strategyWithDefaults({
        prepareForCreate: cleanSecretReferences,
        validate: validateServiceAccount,
        warningsOnCreate: (object) => serviceAccountWarnings(object, undefined),
        prepareForUpdate: cleanSecretReferences,
        validateUpdate: validateServiceAccountUpdate,
        warningsOnUpdate: serviceAccountWarnings,
        returnsDeletedObject: true,
      }),
      subresources: [token],
    }),
  };
}

/** Keeps only the name of each Secret reference. */
function cleanSecretReferences(object: JsonObject): void {
  const secrets = fieldAt(object, 'secrets');
  if (!Array.isArray(secrets)) return;
  object['secrets'] = secrets.filter(isJsonObject).map((secret) => {
    const name = textAt(secret, 'name');
    return name === '' ? {} : { name };
  });
}

function validateServiceAccount(object: JsonObject): FieldIssue[] {
  return validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
}

function validateServiceAccountUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateMetaUpdate(object, old), ...validateServiceAccount(object)];
}

/** Warns about a deprecated annotation when it is added. `old` is undefined on create. */
function serviceAccountWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (!hasAnnotation(object) || (old !== undefined && hasAnnotation(old))) return [];
  return [
    `metadata.annotations[${ENFORCE_MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ];
}

function hasAnnotation(object: JsonObject): boolean {
  return Object.hasOwn(objectAt(object, 'metadata', 'annotations') ?? {}, ENFORCE_MOUNTABLE_SECRETS);
}
