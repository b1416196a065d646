/** The kind StorageVersion: the versions in which the API servers of a cluster encode and decode a resource. */

import { fieldAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  duplicate,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import {
  type Complaints,
  checkDns1035Label,
  checkDns1123Subdomain,
} from '../../../apimachinery/validation/name-syntax.ts';
import { EMPTY_TEXT, patternText } from '../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const STATUS = FieldPath.of('status');

const storageVersionTable: () => TableDefinition = tableOf(
  NAME,
  column('CommonEncodingVersion', 'The version that all servers write.', (object) => {
    const common = fieldAt(object, 'status', 'commonEncodingVersion');
    return typeof common === 'string' ? common : '<unset>';
  }),
  column('StorageVersions', 'What each server writes.', (object) =>
    formatVersions(objectsAt(object, 'status', 'storageVersions')),
  ),
  AGE,
);

const STORAGE_VERSION_STRATEGY: Strategy = strategyWithDefaults({
  allowUnconditionalUpdate: false,
  prepareForCreate: clearStatus,
  validate: validateStorageVersion,
  prepareForUpdate: keepStatus,
});

export const STORAGE_VERSION: KubeResource = {
  definition: storedResource({
    plural: 'storageversions',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'internal.apiserver.k8s.io',
        version: 'v1alpha1',
        kind: 'StorageVersion',
        table: storageVersionTable,
      }),
    ],
    strategy: STORAGE_VERSION_STRATEGY,
    subresources: [
      statusSubresource(STORAGE_VERSION_STRATEGY, {
        prepareForUpdate: keepAllButStatus,
        validateUpdate: validateStorageVersionStatus,
        resetFields: RESETS_SPEC_AND_METADATA,
      }),
    ],
  }),
};

function formatVersions(versions: readonly JsonObject[]): string {
  if (versions.length === 0) return '<unset>';
  const shown = versions.slice(0, 3).map((one) => `${textAt(one, 'apiServerID')}=${textAt(one, 'encodingVersion')}`);
  const more = versions.length > 3 ? ` + ${versions.length - 3} more...` : '';
  return shown.join(',') + more;
}

function checkStorageVersionName(name: string): Complaints {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...checkDns1123Subdomain(name.slice(0, dot)).map((complaint) => `the group segment ${complaint}`),
    ...checkDns1035Label(name.slice(dot + 1)).map((complaint) => `the resource segment ${complaint}`),
  ];
}

export function validateStorageVersion(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: checkStorageVersionName }, METADATA);
  addIssues(issues, validateStorageVersionStatus(object));
  return issues;
}

export function validateStorageVersionStatus(object: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const versions = objectsAt(object, 'status', 'storageVersions');
  const servers = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const path = STATUS.child('storageVersions').index(i);
    const server = textAt(version, 'apiServerID');
    if (servers.has(server)) issues.push(duplicate(path.child('apiServerID'), server));
    servers.add(server);
    addIssues(issues, validateServer(version, path));
  }
  addIssues(issues, validateCommon(object, versions));
  addIssues(issues, validateConditions(object));
  return issues;
}

function validateServer(server: JsonObject, path: FieldPath): FieldIssue[] {
  const id = textAt(server, 'apiServerID');
  const issues = checkDns1123Subdomain(id).map((complaint) => invalid(path.child('apiServerID'), id, complaint));
  const encoding = textAt(server, 'encodingVersion');
  addIssues(issues, validateApiVersion(encoding, path.child('encodingVersion')));
  const decodable = textsAt(server, 'decodableVersions');
  const known = new Set(decodable);
  const shown = decodable.join(' ');
  for (const [i, version] of decodable.entries())
    addIssues(issues, validateApiVersion(version, path.child('decodableVersions').index(i)));
  if (!known.has(encoding))
    issues.push(
      invalid(
        path.child('decodableVersions'),
        decodable.length === 0 ? null : [...decodable],
        `decodableVersions must include encodingVersion ${encoding}`,
      ),
    );
  for (const [i, version] of textsAt(server, 'servedVersions').entries()) {
    const at = path.child('servedVersions').index(i);
    addIssues(issues, validateApiVersion(version, at));
    if (!known.has(version))
      issues.push(
        invalid(
          at,
          version,
          `individual served version : ${version} must be included in decodableVersions : [${shown}]`,
        ),
      );
  }
  return issues;
}

function validateApiVersion(apiVersion: string, path: FieldPath): FieldIssue[] {
  const complaints = checkApiVersion(apiVersion);
  return complaints.length === 0 ? [] : [invalid(path, apiVersion, complaints.join(','))];
}

function checkApiVersion(apiVersion: string): Complaints {
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    const rule =
      "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    return [
      `an apiVersion is ${patternText(rule, '[a-z]([-a-z0-9]*[a-z0-9])?', 'my-name', 'abc-123')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`,
    ];
  }
  const version = parts.at(-1) as string;
  const named = (part: string, text: string, check: (text: string) => Complaints): Complaints =>
    (text === '' ? [EMPTY_TEXT] : check(text)).map((complaint) => `${part} part: ${complaint}`);
  return [
    ...(parts.length === 2 ? named('group', parts[0] as string, checkDns1123Subdomain) : []),
    ...named('version', version, checkDns1035Label),
  ];
}

function validateCommon(object: JsonObject, versions: readonly JsonObject[]): FieldIssue[] {
  const path = STATUS.child('commonEncodingVersion');
  const [first, ...rest] = versions.map((version) => textAt(version, 'encodingVersion'));
  const actual = rest.every((version) => version === first) ? first : undefined;
  const said = fieldAt(object, 'status', 'commonEncodingVersion');
  if (actual === said) return [];
  if (actual === undefined)
    return [
      invalid(
        path,
        said,
        'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      ),
    ];
  if (said === undefined) return [invalid(path, null, `the common encoding version is ${actual}`)];
  return [invalid(path, said, `the actual common encoding version is ${actual}`)];
}

/** kube-apiserver leaves `conditions` out of these paths. */
function validateConditions(object: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const seen = new Map<string, number>();
  for (const [i, condition] of objectsAt(object, 'status', 'conditions').entries()) {
    const path = STATUS.index(i);
    const type = textAt(condition, 'type');
    const before = seen.get(type);
    if (before !== undefined)
      issues.push(
        invalid(
          path.child('type'),
          type,
          `the type of the condition is not unique, it also appears in conditions[${before}]`,
        ),
      );
    seen.set(type, i);
    for (const name of ['type', 'status'])
      for (const complaint of checkQualifiedName(textAt(condition, name)))
        issues.push(invalid(path.child(name), textAt(condition, name), complaint));
    for (const name of ['reason', 'message'])
      if (textAt(condition, name) === '') issues.push(required(path.child(name), ''));
  }
  return issues;
}
