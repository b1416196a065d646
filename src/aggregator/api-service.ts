/**
 * The kind APIService, which names the server of a group-version. An APIService without `spec.service` is served by
 * this server, and has the condition Available from its creation on.
 */

import { quote } from '../apimachinery/go-format.ts';
import { flagAt, numberAt, objectAt, objectsAt, textAt } from '../apimachinery/meta/object-fields.ts';
import { formatTime, instantFromMillis } from '../apimachinery/scalars/time.ts';
import type { StructView } from '../apimachinery/type-view.ts';
import { addIssues, type FieldIssue, invalid, notSupported, required } from '../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../apimachinery/validation/field-path.ts';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortNumber,
} from '../apimachinery/validation/name-syntax.ts';
import { validateObjectMeta } from '../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../apimachinery/validation/validate-object-meta-update.ts';
import { decodeBase64 } from '../base/base64.ts';
import type { JsonObject } from '../base/json-value.ts';
import { kindView } from '../kinds/views.ts';
import { AGE, column, NAME, tableOf } from '../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../server/resource/reset-fields.ts';
import type { StoredDefinition } from '../server/resource/resource-definition.ts';
import { storedResource, strategyWithDefaults } from '../server/resource/stored-resource.ts';
import type { Strategy, StrategyContext } from '../server/resource/strategy.ts';
import { ensureMeta, keepStatus, metaFacts, takeField } from '../server/resource/strategy-fields.ts';
import { orderedDefaults, typedVersion } from '../server/resource/typed-version.ts';
import { updateSubresource } from '../server/resource/update-subresource.ts';
import type { TableDefinition } from '../server/resource/version-definition.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const SERVICE = SPEC.child('service');
const DEFAULT_PORT = 443;
const STATUSES = ['True', 'False', 'Unknown'];

const apiServiceTable: () => TableDefinition = tableOf(
  NAME,
  column('Service', 'The service that answers, or Local.', (object) => {
    const service = objectAt(object, 'spec', 'service');
    return service === undefined ? 'Local' : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`;
  }),
  column('Available', 'Whether it can be reached.', (object) => {
    const available = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Available');
    if (available === undefined) return 'Unknown';
    const status = textAt(available, 'status');
    const reason = textAt(available, 'reason');
    return status === 'True' || reason === '' ? status : `${status} (${reason})`;
  }),
  AGE,
);

const API_SERVICE_STRATEGY: Strategy = strategyWithDefaults({
  allowUnconditionalUpdate: false,
  prepareForCreate: prepareApiServiceForCreate,
  validate: validateApiService,
  prepareForUpdate: keepStatus,
  validateUpdate: validateApiServiceUpdate,
});

const apiServiceView = (): StructView => kindView('apiregistration.k8s.io', 'v1', 'APIService');

export const API_SERVICE: StoredDefinition = storedResource({
  plural: 'apiservices',
  categories: ['api-extensions'],
  scope: 'Cluster',
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  versions: [
    typedVersion({
      group: 'apiregistration.k8s.io',
      version: 'v1',
      kind: 'APIService',
      view: apiServiceView,
      setDefaults: orderedDefaults(setApiServiceDefaults, apiServiceView),
      table: apiServiceTable,
    }),
  ],
  strategy: API_SERVICE_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...API_SERVICE_STRATEGY,
      prepareForUpdate: prepareApiServiceStatusForUpdate,
      validateUpdate: validateApiServiceStatusUpdate,
      resetFields: RESETS_SPEC_AND_METADATA,
    }),
  ],
});

function setApiServiceDefaults(object: JsonObject): void {
  const service = objectAt(object, 'spec', 'service');
  if (service !== undefined) service['port'] ??= DEFAULT_PORT;
}

function prepareApiServiceForCreate(object: JsonObject, { request }: StrategyContext): void {
  object['status'] =
    objectAt(object, 'spec', 'service') === undefined ? { conditions: [localCondition(request.receivedAt)] } : {};
}

function localCondition(now: number): JsonObject {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(instantFromMillis(now)),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

/**
 * Called on an update of the status. Takes the spec, labels, annotations, finalizers and owner references from `old`.
 */
function prepareApiServiceStatusForUpdate(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  const meta = ensureMeta(object);
  const oldMeta = objectAt(old, 'metadata') ?? {};
  for (const name of ['labels', 'annotations', 'finalizers', 'ownerReferences']) takeField(meta, oldMeta, name);
}

export function validateApiService(object: JsonObject): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  const group = textAt(spec, 'group');
  const version = textAt(spec, 'version');
  const requiredName = `${version}.${group}`;
  const issues = validateObjectMeta(
    metaFacts(object),
    {
      namespaced: false,
      name: (name) => {
        const complaints = checkPathSegmentName(name);
        if (complaints.length > 0 || name === requiredName) return complaints;
        return [`must be \`spec.version+"."+spec.group\`: ${quote(requiredName)}`];
      },
    },
    METADATA,
  );
  if (group === '' && version !== 'v1')
    issues.push(required(SPEC.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  if (group !== '')
    for (const complaint of checkDns1123Subdomain(group)) issues.push(invalid(SPEC.child('group'), group, complaint));
  for (const complaint of checkDns1035Label(version)) issues.push(invalid(SPEC.child('version'), version, complaint));
  addIssues(issues, validatePriority(spec, 'groupPriorityMinimum', 20_000));
  addIssues(issues, validatePriority(spec, 'versionPriority', 1_000));
  addIssues(issues, validateBackend(spec));
  return issues;
}

function validatePriority(spec: JsonObject, name: string, most: number): FieldIssue[] {
  const priority = numberAt(spec, name);
  if (priority > 0 && priority <= most) return [];
  return [invalid(SPEC.child(name), priority, `must be positive and less than ${most}`)];
}

function validateBackend(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const skips = flagAt(spec, 'insecureSkipTLSVerify');
  const skipPath = SPEC.child('insecureSkipTLSVerify');
  const bundleSize = decodeBase64(textAt(spec, 'caBundle'))?.length ?? 0;
  const service = objectAt(spec, 'service');
  if (service === undefined) {
    if (bundleSize > 0)
      issues.push(invalid(SPEC.child('caBundle'), `${bundleSize} bytes`, 'local APIServices may not have a caBundle'));
    if (skips) issues.push(invalid(skipPath, true, 'local APIServices may not have insecureSkipTLSVerify'));
    return issues;
  }
  for (const name of ['namespace', 'name'])
    if (textAt(service, name) === '') issues.push(required(SERVICE.child(name), ''));
  const port = Number(numberAt(service, 'port'));
  const complaints = checkPortNumber(port);
  if (complaints.length > 0)
    issues.push(invalid(SERVICE.child('port'), port, `port is not valid: ${complaints.join(', ')}`));
  if (skips && bundleSize > 0) issues.push(invalid(skipPath, true, 'may not be true if caBundle is present'));
  return issues;
}

function validateApiServiceUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateObjectMetaUpdate(metaFacts(object), metaFacts(old), METADATA), ...validateApiService(object)];
}

function validateApiServiceStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateObjectMetaUpdate(metaFacts(object), metaFacts(old), METADATA);
  for (const [i, condition] of objectsAt(object, 'status', 'conditions').entries()) {
    const status = textAt(condition, 'status');
    const path = FieldPath.of('status', 'conditions').index(i).child('status');
    if (!STATUSES.includes(status)) issues.push(notSupported(path, status, STATUSES));
  }
  return issues;
}
