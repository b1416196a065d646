/**
 * The kinds that each plugin reads from manifest files, and the rules that hold there in addition to those of the API.
 */
import { type ManifestPlugin, STATIC_SUFFIX } from '../../../admission/manifests/manifest-objects.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, invalid, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { VersionDefinition } from '../../../server/resource/version-definition.ts';
import {
  MUTATING_ADMISSION_POLICY,
  validateMutatingPolicy,
} from '../../groups/admissionregistration/mutating-admission-policy.ts';
import {
  MUTATING_ADMISSION_POLICY_BINDING,
  validateMutatingBinding,
} from '../../groups/admissionregistration/mutating-admission-policy-binding.ts';
import { MUTATING_WEBHOOK_CONFIGURATION } from '../../groups/admissionregistration/mutating-webhook-configuration.ts';
import {
  VALIDATING_ADMISSION_POLICY,
  validateValidatingPolicy,
} from '../../groups/admissionregistration/validating-admission-policy.ts';
import {
  VALIDATING_ADMISSION_POLICY_BINDING,
  validateValidatingBinding,
} from '../../groups/admissionregistration/validating-admission-policy-binding.ts';
import { VALIDATING_WEBHOOK_CONFIGURATION } from '../../groups/admissionregistration/validating-webhook-configuration.ts';
import { validateWebhookConfiguration } from '../../groups/admissionregistration/webhook-rules.ts';
import type { KubeResource } from '../../kube-context.ts';

export interface ManifestKind {
  /** Version v1 of the kind. */
  readonly version: VersionDefinition;
  /** Returns the issues of an object that has its defaults. */
  validate(object: JsonObject): readonly FieldIssue[];
}

const ENDING = `must end with "${STATIC_SUFFIX}"`;
const UNSUPPORTED = 'not supported in static manifests';

const POLICY_NAME = FieldPath.of('spec', 'policyName');

export const MANIFEST_KINDS: Readonly<Record<ManifestPlugin, readonly ManifestKind[]>> = {
  MutatingAdmissionWebhook: [webhookKind(MUTATING_WEBHOOK_CONFIGURATION)],
  ValidatingAdmissionWebhook: [webhookKind(VALIDATING_WEBHOOK_CONFIGURATION)],
  MutatingAdmissionPolicy: [
    manifestKind(MUTATING_ADMISSION_POLICY, validateMutatingPolicy, policyIssues),
    manifestKind(MUTATING_ADMISSION_POLICY_BINDING, validateMutatingBinding, bindingIssues),
  ],
  ValidatingAdmissionPolicy: [
    manifestKind(VALIDATING_ADMISSION_POLICY, validateValidatingPolicy, policyIssues),
    manifestKind(VALIDATING_ADMISSION_POLICY_BINDING, validateValidatingBinding, bindingIssues),
  ],
};

function webhookKind(resource: KubeResource): ManifestKind {
  return manifestKind(resource, validateWebhookConfiguration, webhookIssues);
}

/** `more` returns further issues. It is called only with objects that the API would accept. */
function manifestKind(
  { definition }: KubeResource,
  validate: (object: JsonObject) => readonly FieldIssue[],
  more: (object: JsonObject) => readonly FieldIssue[],
): ManifestKind {
  const version = definition.versions.find((one) => one.version === 'v1');
  if (version === undefined) throw new BugError(`${definition.plural} has no version v1`);
  return {
    version,
    validate: (object) => {
      const issues = validate(object);
      return issues.length > 0 ? issues : [...nameIssues(object), ...more(object)];
    },
  };
}

function nameIssues(object: JsonObject): readonly FieldIssue[] {
  const name = nameOf(object);
  return name.endsWith(STATIC_SUFFIX) ? [] : [invalid(FieldPath.of('metadata', 'name'), name, ENDING)];
}

/** A Service may not exist yet when the server starts. */
function webhookIssues(configuration: JsonObject): readonly FieldIssue[] {
  return objectsAt(configuration, 'webhooks').flatMap((webhook, i) => {
    const path = FieldPath.of('webhooks').index(i).child('clientConfig');
    const config = objectAt(webhook, 'clientConfig') ?? {};
    if (objectAt(config, 'service') !== undefined) return [forbidden(path.child('service'), `${UNSUPPORTED}; use url`)];
    return textAt(config, 'url') === '' ? [required(path.child('url'), 'static manifests need a URL')] : [];
  });
}

function policyIssues(policy: JsonObject): readonly FieldIssue[] {
  if (objectAt(policy, 'spec', 'paramKind') === undefined) return [];
  return [forbidden(FieldPath.of('spec', 'paramKind'), UNSUPPORTED)];
}

function bindingIssues(binding: JsonObject): readonly FieldIssue[] {
  const issues: FieldIssue[] = [];
  const policy = textAt(binding, 'spec', 'policyName');
  if (!policy.endsWith(STATIC_SUFFIX)) issues.push(invalid(POLICY_NAME, policy, ENDING));
  if (objectAt(binding, 'spec', 'paramRef') !== undefined)
    issues.push(forbidden(FieldPath.of('spec', 'paramRef'), UNSUPPORTED));
  return issues;
}

/** Returns the issue of a binding whose policy is in no file. `policies` are the names of those that are. */
export function missingPolicyIssues(binding: JsonObject, policies: ReadonlySet<string>): readonly FieldIssue[] {
  const name = textAt(binding, 'spec', 'policyName');
  return policies.has(name) ? [] : [invalid(POLICY_NAME, name, 'there is no such policy in the folder')];
}
