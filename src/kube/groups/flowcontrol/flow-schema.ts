/** The kind FlowSchema: classifies requests into flows and assigns them to a priority level. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import {
  fieldAt,
  flagAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { flowcontrolShapes } from '../../../kinds/shapes/flowcontrol.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { defaultFlowSchemas, FLOW_CONTROL_GROUP, mandatorySpec } from '../../flow-control/default-flows.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { flowStatusSubresource, flowStrategy, validateFlowConditions } from './flow-strategy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const PRECEDENCE = SPEC.child('matchingPrecedence');
const MAX_PRECEDENCE = 10_000;
const DEFAULT_PRECEDENCE = 1_000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const ALL = '*';

const flowSchemaTable: () => TableDefinition = tableOf(
  NAME,
  column('PriorityLevel', 'The priority level that serves these requests.', (object) =>
    textAt(object, 'spec', 'priorityLevelConfiguration', 'name'),
  ),
  column('MatchingPrecedence', 'Schemas with lower numbers are asked first.', (object) =>
    numberAt(object, 'spec', 'matchingPrecedence'),
  ),
  column(
    'DistinguisherMethod',
    'What tells the flows of this schema apart.',
    (object) => textAt(object, 'spec', 'distinguisherMethod', 'type') || '<none>',
  ),
  AGE,
  column('MissingPL', 'Whether the priority level does not exist.', (object) => {
    const dangling = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Dangling');
    return dangling === undefined ? '?' : textAt(dangling, 'status');
  }),
);

const FLOW_SCHEMA_STRATEGY: Strategy = flowStrategy(validateFlowSchema);

export const FLOW_SCHEMA: KubeResource = {
  definition: storedResource({
    plural: 'flowschemas',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: FLOW_CONTROL_GROUP,
        version: 'v1',
        kind: 'FlowSchema',
        setDefaults: setFlowSchemaDefaults,
        table: flowSchemaTable,
      }),
    ],
    strategy: FLOW_SCHEMA_STRATEGY,
    subresources: [flowStatusSubresource(FLOW_SCHEMA_STRATEGY)],
  }),
};

export function setFlowSchemaDefaults(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec !== undefined && numberAt(spec, 'matchingPrecedence') === 0) spec['matchingPrecedence'] = DEFAULT_PRECEDENCE;
}

export function validateFlowSchema(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  const name = textAt(object, 'metadata', 'name');
  const spec = objectAt(object, 'spec') ?? {};
  addIssues(issues, validateSpec(spec, name));
  const fixed = mandatorySpec(defaultFlowSchemas(), name);
  if (fixed !== undefined && !equalJson(spec, fixed))
    issues.push(declared(invalid(SPEC, spec, `spec of '${name}' must equal the fixed value`)));
  addIssues(issues, validateFlowConditions(object));
  return issues;
}

function validateSpec(spec: JsonObject, name: string): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const precedence = numberAt(spec, 'matchingPrecedence');
  if (precedence <= 0) issues.push(invalid(PRECEDENCE, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE)
    issues.push(invalid(PRECEDENCE, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && name !== 'exempt')
    issues.push(invalid(PRECEDENCE, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  const distinguisher = objectAt(spec, 'distinguisherMethod');
  if (distinguisher !== undefined && !DISTINGUISHERS.includes(textAt(distinguisher, 'type'))) {
    const shown = goValue(flowcontrolShapes, 'FlowDistinguisherMethod', distinguisher);
    issues.push(declared(notSupported(SPEC.child('distinguisherMethod', 'type'), shown, DISTINGUISHERS)));
  }
  const level = textAt(spec, 'priorityLevelConfiguration', 'name');
  const levelPath = SPEC.child('priorityLevelConfiguration', 'name');
  if (level === '') issues.push(required(levelPath, 'must reference a priority level'));
  else for (const complaint of checkDns1123Subdomain(level)) issues.push(invalid(levelPath, level, complaint));
  for (const [i, rule] of objectsAt(spec, 'rules').entries())
    addIssues(issues, validateRules(rule, SPEC.child('rules').index(i)));
  return issues;
}

function validateRules(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const subjects = objectsAt(rule, 'subjects');
  const issues = subjects.flatMap((subject, i) => validateSubject(subject, path.child('subjects').index(i)));
  if (subjects.length === 0) issues.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  const resourceRules = objectsAt(rule, 'resourceRules');
  const nonResourceRules = objectsAt(rule, 'nonResourceRules');
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    issues.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  for (const [i, one] of resourceRules.entries())
    addIssues(issues, validateResourceRule(one, path.child('resourceRules').index(i)));
  for (const [i, one] of nonResourceRules.entries())
    addIssues(issues, validateNonResourceRule(one, path.child('nonResourceRules').index(i)));
  return issues;
}

/** The field of a subject for each kind, in the order in which fields of other kinds are reported. */
const SUBJECT_PARTS: Readonly<Record<string, string>> = {
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
};

function validateSubject(subject: JsonObject, path: FieldPath): FieldIssue[] {
  const kind = textAt(subject, 'kind');
  const own = Object.hasOwn(SUBJECT_PARTS, kind) ? SUBJECT_PARTS[kind] : undefined;
  if (own === undefined) return [notSupported(path.child('kind'), kind, SUBJECT_KINDS)];
  const issues = validateSubjectPart(objectAt(subject, own), kind, path.child(own));
  for (const [other, part] of Object.entries(SUBJECT_PARTS))
    if (other !== kind && fieldAt(subject, part) !== undefined)
      issues.push(forbidden(path.child(part), `${part} is forbidden when subject kind is not '${other}'`));
  return issues;
}

function validateSubjectPart(part: JsonObject | undefined, kind: string, path: FieldPath): FieldIssue[] {
  if (part === undefined) return [required(path, `${SUBJECT_PARTS[kind]} is required when subject kind is '${kind}'`)];
  const name = textAt(part, 'name');
  const issues: FieldIssue[] = name === '' ? [required(path.child('name'), '')] : [];
  if (kind !== 'ServiceAccount') return issues;
  if (name !== '' && name !== ALL)
    for (const complaint of checkDns1123Subdomain(name)) issues.push(invalid(path.child('name'), name, complaint));
  const namespace = textAt(part, 'namespace');
  if (namespace === '') issues.push(required(path.child('namespace'), 'must specify namespace for service account'));
  else
    for (const complaint of checkDns1123Label(namespace))
      issues.push(invalid(path.child('namespace'), namespace, complaint));
  return issues;
}

function validateVerbs(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const verbs = textsAt(rule, 'verbs');
  if (verbs.length === 0) return [required(path, 'verbs must contain at least one value')];
  if (verbs.includes(ALL)) return validateLoneWildcard(verbs, path, 'verbs');
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(path, [...verbs], VERBS)];
}

function validateLoneWildcard(items: readonly string[], path: FieldPath, what: string): FieldIssue[] {
  if (items.length === 1 || !items.includes(ALL)) return [];
  return [invalid(path, [...items], `if '*' is present, must not specify other ${what}`)];
}

function validateNonResourceRule(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateVerbs(rule, path.child('verbs'));
  const urls = textsAt(rule, 'nonResourceURLs');
  const urlsPath = path.child('nonResourceURLs');
  if (urls.length === 0) issues.push(required(urlsPath, 'nonResourceURLs must contain at least one value'));
  else if (urls.includes(ALL)) addIssues(issues, validateLoneWildcard(urls, urlsPath, 'non-resource URLs'));
  else
    for (const [i, url] of urls.entries()) {
      const problem = urlProblem(url);
      if (problem !== undefined) issues.push(invalid(urlsPath.index(i), url, problem));
    }
  return issues;
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcards = url.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function validateResourceRule(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateVerbs(rule, path.child('verbs'));
  for (const [field, one, many] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const items = textsAt(rule, field);
    if (items.length === 0) issues.push(required(path.child(field), `resource rules must supply at least one ${one}`));
    else addIssues(issues, validateLoneWildcard(items, path.child(field), many));
  }
  const namespaces = textsAt(rule, 'namespaces');
  const namespacesPath = path.child('namespaces');
  if (namespaces.length === 0 && !flagAt(rule, 'clusterScope'))
    issues.push(
      required(namespacesPath, 'resource rules that are not cluster scoped must supply at least one namespace'),
    );
  else if (namespaces.includes(ALL)) addIssues(issues, validateLoneWildcard(namespaces, namespacesPath, 'namespaces'));
  else
    for (const [i, namespace] of namespaces.entries())
      for (const complaint of checkDns1123Label(namespace))
        issues.push(
          invalid(
            namespacesPath.index(i),
            namespace,
            `each member of this list must be '*' or a DNS-1123 label; ${complaint}`,
          ),
        );
  return issues;
}
