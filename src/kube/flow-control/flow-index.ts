/**
 * The index that finds the flow schema of a request. It is immutable: a change of a schema or a level makes a new one.
 * Invariant: schemas are tried in order of precedence, then name. A schema whose priority level does not exist is
 * skipped. A request that no schema matches belongs to `catch-all`.
 *
 * The rules whose subjects match a user are cached by user name. The other parts of a rule are compared per request.
 */
import { nameOf, uidOf } from '../../apimachinery/meta/meta.ts';
import { flagAt, numberAt, objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Flow, FlowMatcher } from '../../server/flow-matcher.ts';
import type { RequestInfo } from '../../server/http/request-info.ts';
import { defaultFlowSchemas, defaultPriorityLevels } from './default-flows.ts';

/** The limit of cached users. A full cache is cleared. */
const MAX_CACHED_USERS = 4_096;
const ALL = '*';
const ACCOUNT_PREFIX = 'system:serviceaccount:';

/** The values that a list allows. Undefined allows everything. */
type Allowed = readonly string[] | undefined;

interface ResourceRule {
  readonly verbs: Allowed;
  readonly groups: Allowed;
  readonly resources: Allowed;
  readonly namespaces: Allowed;
  readonly clusterScope: boolean;
}

interface PathRule {
  readonly verbs: Allowed;
  readonly paths: readonly string[];
}

/** One rule of a schema. */
interface Rule {
  readonly flow: Flow;
  readonly subjects: readonly JsonObject[];
  readonly resourceRules: readonly ResourceRule[];
  readonly pathRules: readonly PathRule[];
}

interface CachedRules {
  readonly groups: readonly string[];
  readonly rules: readonly Rule[];
}

export class FlowIndex implements FlowMatcher {
  readonly #rules: readonly Rule[];
  readonly #fallback: Flow;
  readonly #byUser = new Map<string, CachedRules>();

  /** Takes stored objects. Mandatory objects that are missing are added. */
  constructor(schemas: readonly JsonObject[], levels: readonly JsonObject[]) {
    const uids = new Map(withMandatory(levels, defaultPriorityLevels()).map((level) => [nameOf(level), uidOf(level)]));
    const usable = withMandatory(schemas, defaultFlowSchemas())
      .filter((schema) => uids.has(priorityLevelOf(schema)))
      .sort(byPrecedence);
    const flowOf = (schema: JsonObject): Flow => ({
      schemaUid: uidOf(schema),
      priorityLevelUid: uids.get(priorityLevelOf(schema)) ?? '',
    });
    this.#rules = usable.flatMap((schema) => rulesOf(schema, flowOf(schema)));
    const catchAll = usable.find((schema) => nameOf(schema) === 'catch-all');
    this.#fallback = catchAll === undefined ? { schemaUid: '', priorityLevelUid: '' } : flowOf(catchAll);
  }

  match(user: UserInfo, info: RequestInfo): Flow {
    for (const rule of this.#rulesOf(user)) if (matchesRequest(rule, info)) return rule.flow;
    return this.#fallback;
  }

  #rulesOf(user: UserInfo): readonly Rule[] {
    const cached = this.#byUser.get(user.name);
    if (cached !== undefined && sameTexts(cached.groups, user.groups)) return cached.rules;
    const rules = this.#rules.filter(({ subjects }) => subjects.some((subject) => matchesSubject(subject, user)));
    if (this.#byUser.size >= MAX_CACHED_USERS) this.#byUser.clear();
    this.#byUser.set(user.name, { groups: user.groups, rules });
    return rules;
  }
}

/** Returns the names of the levels that schemas may refer to. */
export function levelNames(levels: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(withMandatory(levels, defaultPriorityLevels()).map(nameOf));
}

export function priorityLevelOf(schema: JsonObject): string {
  return textAt(schema, 'spec', 'priorityLevelConfiguration', 'name');
}

function withMandatory(
  objects: readonly JsonObject[],
  defaults: ReturnType<typeof defaultFlowSchemas>,
): readonly JsonObject[] {
  const missing = defaults.filter(({ name, mandatory }) => mandatory && !objects.some((one) => nameOf(one) === name));
  return [...objects, ...missing.map(({ name, spec }): JsonObject => ({ metadata: { name }, spec }))];
}

function byPrecedence(a: JsonObject, b: JsonObject): number {
  const order = Number(numberAt(a, 'spec', 'matchingPrecedence')) - Number(numberAt(b, 'spec', 'matchingPrecedence'));
  return order !== 0 ? order : nameOf(a) < nameOf(b) ? -1 : 1;
}

function rulesOf(schema: JsonObject, flow: Flow): Rule[] {
  return objectsAt(schema, 'spec', 'rules').map((rule) => ({
    flow,
    subjects: objectsAt(rule, 'subjects'),
    resourceRules: objectsAt(rule, 'resourceRules').map((one) => ({
      verbs: allowedAt(one, 'verbs'),
      groups: allowedAt(one, 'apiGroups'),
      resources: allowedAt(one, 'resources'),
      namespaces: allowedAt(one, 'namespaces'),
      clusterScope: flagAt(one, 'clusterScope'),
    })),
    pathRules: objectsAt(rule, 'nonResourceRules').map((one) => ({
      verbs: allowedAt(one, 'verbs'),
      paths: textsAt(one, 'nonResourceURLs'),
    })),
  }));
}

function allowedAt(rule: JsonObject, name: string): Allowed {
  const items = textsAt(rule, name);
  return items.length === 1 && items[0] === ALL ? undefined : items;
}

function matchesSubject(subject: JsonObject, user: UserInfo): boolean {
  switch (textAt(subject, 'kind')) {
    case 'User': {
      const name = textAt(subject, 'user', 'name');
      return objectAt(subject, 'user') !== undefined && (name === ALL || name === user.name);
    }
    case 'Group': {
      const name = textAt(subject, 'group', 'name');
      return objectAt(subject, 'group') !== undefined && (name === ALL || user.groups.includes(name));
    }
    case 'ServiceAccount': {
      const account = objectAt(subject, 'serviceAccount');
      if (account === undefined) return false;
      const name = textAt(account, 'name');
      const prefix = `${ACCOUNT_PREFIX}${textAt(account, 'namespace')}:`;
      return name === ALL ? user.name.startsWith(prefix) : user.name === prefix + name;
    }
    default:
      return false;
  }
}

function matchesRequest(rule: Rule, info: RequestInfo): boolean {
  if (!info.isResourceRequest) {
    for (const one of rule.pathRules)
      if (allows(one.verbs, info.verb) && one.paths.some((path) => matchesPath(path, info.path))) return true;
    return false;
  }
  for (const one of rule.resourceRules) if (matchesResource(one, info)) return true;
  return false;
}

function matchesResource(rule: ResourceRule, info: RequestInfo): boolean {
  if (!allows(rule.verbs, info.verb) || !allows(rule.groups, info.apiGroup)) return false;
  if (rule.resources !== undefined) {
    const { resource, subresource } = info;
    if (!rule.resources.includes(subresource === '' ? resource : `${resource}/${subresource}`)) return false;
  }
  return info.namespace === '' ? rule.clusterScope : allows(rule.namespaces, info.namespace);
}

function allows(allowed: Allowed, item: string): boolean {
  return allowed === undefined || allowed.includes(item);
}

/** A path matches itself and every path below it. */
function matchesPath(rule: string, path: string): boolean {
  if (rule === ALL || rule === path) return true;
  const prefix = rule.endsWith(ALL) ? rule.slice(0, -1) : rule;
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
