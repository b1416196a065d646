/**
 * The parser of `--audit-policy-file` (audit.k8s.io/v1 Policy). A parsed policy has at least one rule, and only known
 * levels and stages. Unknown fields are warnings, as in the reference.
 */
import {
  configType,
  isJsonText,
  listType,
  scalarType,
  structType,
  TEXT,
} from '../../../apimachinery/codec/config-object.ts';
import { decodeStrictJson, decodeStrictYaml, formatStrictError } from '../../../apimachinery/codec/strict.ts';
import { findTypeMismatch } from '../../../apimachinery/codec/type-mismatch.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { formatIssues } from '../../../apimachinery/validation/field-issue.ts';
import { ConfigError } from '../../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { validateAuditPolicy } from './audit-policy-validation.ts';
import type { AuditLevel, AuditPolicy, AuditRule, AuditStage } from './audit-rules.ts';

export interface ParsedAuditPolicy {
  readonly policy: AuditPolicy;
  readonly warnings: readonly string[];
}

const API_VERSION = 'audit.k8s.io/v1';

/** Parses YAML or JSON. `path` is used in messages only. Throws ConfigError with all problems. */
export function parseAuditPolicy(text: string, path: string): ParsedAuditPolicy {
  const fail = (problem: string): never => {
    throw new ConfigError(`loading audit policy file: ${problem}: from file ${path}`);
  };
  const options = { fieldValidation: 'Strict', view: POLICY } as const;
  const read = isJsonText(text) ? decodeStrictJson(text, options) : decodeStrictYaml(text, options);
  if (!read.ok) return fail(`failed decoding: ${read.error.message}`);
  const { value, problems } = read;
  if (!isJsonObject(value)) return fail('failed decoding: the policy is not an object');
  const apiVersion = value['apiVersion'] ?? '';
  const kind = value['kind'] ?? 'Policy';
  if (apiVersion === '') return fail('unknown group version field in policy: apiVersion is missing');
  if (kind !== 'Policy' || apiVersion !== API_VERSION)
    return fail(
      `failed decoding: no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))}`,
    );
  const mismatch = findTypeMismatch(value, POLICY);
  if (mismatch !== undefined) return fail(`failed decoding: ${mismatch}`);
  const policy = policyOf(value);
  const issues = validateAuditPolicy(policy);
  if (issues.length > 0) return fail(formatIssues(issues));
  if (policy.rules.length === 0) return fail('loaded illegal policy with 0 rules');
  const warnings =
    problems.length === 0
      ? []
      : [`Audit policy contains errors, falling back to lenient decoding: ${formatStrictError(problems)}`];
  return { policy, warnings };
}

function policyOf(value: JsonObject): AuditPolicy {
  return {
    rules: objects(value['rules']).map(ruleOf),
    omitStages: texts(value['omitStages']) as AuditStage[],
    omitManagedFields: value['omitManagedFields'] === true,
  };
}

function ruleOf(value: JsonObject): AuditRule {
  const omit = value['omitManagedFields'];
  return {
    level: textOf(value['level']) as AuditLevel,
    users: texts(value['users']),
    userGroups: texts(value['userGroups']),
    verbs: texts(value['verbs']),
    resources: objects(value['resources']).map((one) => ({
      group: textOf(one['group']),
      resources: texts(one['resources']),
      resourceNames: texts(one['resourceNames']),
    })),
    namespaces: texts(value['namespaces']),
    nonResourceURLs: texts(value['nonResourceURLs']),
    omitStages: texts(value['omitStages']) as AuditStage[],
    omitManagedFields: typeof omit === 'boolean' ? omit : undefined,
  };
}

/** The types were checked before. null counts as absent, and a null element of a list as the zero value. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map((one) => (isJsonObject(one) ? one : {})) : [];
}

const GROUP_RESOURCES = structType('audit/v1.GroupResources', {
  group: TEXT,
  resources: listType(TEXT),
  resourceNames: listType(TEXT),
});
const RULE = structType('audit/v1.PolicyRule', {
  level: TEXT,
  users: listType(TEXT),
  userGroups: listType(TEXT),
  verbs: listType(TEXT),
  resources: listType(GROUP_RESOURCES),
  namespaces: listType(TEXT),
  nonResourceURLs: listType(TEXT),
  omitStages: listType(TEXT),
  omitManagedFields: scalarType('boolean'),
});
const POLICY = configType('audit/v1.Policy', {
  metadata: { kind: 'any', raw: 'json' },
  rules: listType(RULE),
  omitStages: listType(TEXT),
  omitManagedFields: scalarType('boolean'),
});
