/**
 * Views of answers in which definitions of other topics may appear: discovery and OpenAPI of the built-in groups.
 * Invariant: a view drops only what it names; everything else is compared.
 */
import type { Json } from './normalise.ts';

export type View = (body: Json) => Json;

type Dict = { [key: string]: Json };

const PLAIN_GROUPS = ['', 'apps', 'autoscaling', 'batch', 'policy'];
/** The groups of definitions that topics and scripts create. */
const MADE_GROUPS = ['things.k8s.io', 'seedcrd.k8s.io'];
/** The groups whose kinds are only sent to webhooks. */
const UNSERVED_GROUPS = ['admission.k8s.io', 'imagepolicy.k8s.io'];
/** Only our server serves it. The lists of groups show that. */
const OURS = 'apiextensions.k8s.io/v1beta1';

function isBuiltIn(group: string): boolean {
  return PLAIN_GROUPS.includes(group) || (group.endsWith('.k8s.io') && !MADE_GROUPS.includes(group));
}

/** Takes `apps/v1` or `v1`. */
export function isBuiltInVersion(groupVersion: string): boolean {
  return isBuiltIn(groupVersion.split('/').slice(0, -1).join('/')) && groupVersion !== OURS;
}

function dicts(value: Json | undefined): Dict[] {
  return Array.isArray(value) ? (value as Dict[]) : [];
}

/** Keeps the built-in groups of an APIGroupList. */
export function builtInGroups(body: Json): Json {
  const list = body as Dict;
  return { ...list, groups: dicts(list['groups']).filter((group) => isBuiltIn(String(group['name']))) };
}

/** Keeps the built-in groups and versions of an APIGroupDiscoveryList. */
export function builtInDiscovery(body: Json): Json {
  const list = body as Dict;
  const items = dicts(list['items']).flatMap((item) => {
    const group = String((item['metadata'] as Dict)['name'] ?? '');
    const versions = dicts(item['versions']).filter((version) =>
      isBuiltInVersion(group === '' ? String(version['version']) : `${group}/${String(version['version'])}`),
    );
    return versions.length === 0 ? [] : [{ ...item, versions }];
  });
  return { ...list, items };
}

/** Keeps the paths of built-in groups in `/`, without health checks. */
export function builtInPaths(body: Json): Json {
  const paths = ((body as Dict)['paths'] as string[]).filter((path) => {
    const [, group, version] = /^\/apis\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    return group === undefined || (version === undefined ? isBuiltIn(group) : isBuiltInVersion(`${group}/${version}`));
  });
  return { paths: paths.filter((path) => !/^\/(healthz|livez|readyz|debug|logs)/.test(path)) };
}

/** Keeps the documents of built-in groups in the index of OpenAPI v3, without hashes. */
export function openApiIndex(body: Json): Json {
  const paths = (body as Dict)['paths'] as Dict;
  const kept = Object.keys(paths).filter((path) => isBuiltInPath(`/${path}`));
  return Object.fromEntries(
    kept.map((path) => [path, String((paths[path] as Dict)['serverRelativeURL']).replace(/hash=\w+/, 'hash=<hash>')]),
  );
}

const GVK = 'x-kubernetes-group-version-kind';
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'];

/**
 * Keeps the built-in paths of an OpenAPI document and the schemas that they reach, without descriptions, which are our
 * own words.
 */
export function openApiStructure(body: Json): Json {
  const document = body as Dict;
  const served = Object.fromEntries(Object.entries(document['paths'] as Dict).filter(([path]) => isBuiltInPath(path)));
  const paths = withNamedParameters(served, (document['parameters'] ?? {}) as Dict);
  const schemas = ((document['components'] as Dict | undefined)?.['schemas'] ?? document['definitions'] ?? {}) as Dict;
  const reached = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const ref = value['$ref'];
      if (typeof ref === 'string') {
        const name = ref.split('/').at(-1) as string;
        if (!reached.has(name) && name in schemas) {
          reached.add(name);
          visit(schemas[name] as Json);
        }
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(paths);
  return {
    openapi: document['openapi'] ?? document['swagger'] ?? null,
    paths: withoutDescriptions(paths),
    schemas: withoutDescriptions(Object.fromEntries([...reached].sort().map((name) => [name, schemas[name] as Json]))),
    security: document['security'] ?? null,
  };
}

function isBuiltInPath(path: string): boolean {
  const [, group, version] = /^\/apis\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
  if (group === undefined) return true;
  return version === undefined || version === '' ? isBuiltIn(group) : isBuiltInVersion(`${group}/${version}`);
}

/** Returns lists of parameters by name, with references resolved: version 2 shares them under names with hashes. */
function withNamedParameters(value: Json, shared: Dict): Json {
  if (Array.isArray(value)) return value.map((item) => withNamedParameters(item, shared));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key !== 'parameters' || !Array.isArray(child)) return [key, withNamedParameters(child, shared)];
      const resolved = dicts(child).map((one) => {
        const ref = one['$ref'];
        return typeof ref === 'string' ? ((shared[ref.split('/').at(-1) as string] ?? one) as Dict) : one;
      });
      return [key, Object.fromEntries(resolved.map((one) => [String(one['name']), one as Json]))];
    }),
  );
}

/**
 * Keeps the served built-in groups in the list of kinds of options and events, which belong to every group. The
 * reference also lists versions that it does not serve.
 */
function builtInKindsOf(kinds: Json): Json {
  if (!Array.isArray(kinds)) return kinds;
  return dicts(kinds).filter(
    ({ group, version }) =>
      !UNSERVED_GROUPS.includes(String(group)) &&
      /^v\d+$/.test(String(version)) &&
      isBuiltInVersion(group === '' ? String(version) : `${String(group)}/${String(version)}`),
  );
}

/** Also keeps only built-in kinds in lists of kinds. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, key === GVK ? builtInKindsOf(child) : withoutDescriptions(child)]),
  );
}

/** Returns the operations of an OpenAPI document: `get /path` with its id. */
export function operations(body: Json): Json {
  const { paths } = openApiStructure(body) as { paths: Dict };
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter((method) => (item as Dict)[method] !== undefined).map((method) => [
        `${method} ${path}`,
        ((item as Dict)[method] as Dict)['operationId'] ?? null,
      ]),
    ),
  );
}

/** Drops the bookmarks of a watch that depend on the clock. */
export function withoutClockBookmarks(body: Json): Json {
  const events = Array.isArray(body) ? (body as Dict[]) : [body as Dict];
  return events.filter((event) => {
    const { metadata } = (event['object'] ?? {}) as { metadata?: Dict };
    return event['type'] !== 'BOOKMARK' || JSON.stringify(metadata ?? {}).includes('initial-events-end');
  });
}

/** Merges consecutive bookmarks of a watch. */
export function withBookmarksJoined(body: Json): Json {
  const events = Array.isArray(body) ? (body as Dict[]) : [body as Dict];
  return events.filter((event, i) => event['type'] !== 'BOOKMARK' || events[i + 1]?.['type'] !== 'BOOKMARK');
}

/** Replaces the ages in the cells of a table. */
export function withoutAges(body: Json): Json {
  return JSON.parse(JSON.stringify(body).replace(/"\d+[smhdy](?:\d+[smhdy])?"/g, '"<age>"')) as Json;
}

/** Keeps the named fields of an object, without descriptions. */
export function only(...fields: readonly string[]): View {
  return (body) =>
    Object.fromEntries(fields.map((field) => [field, withoutDescriptions((body as Dict)[field] ?? null)]));
}

/** Sorts the rules of a SelfSubjectRulesReview, which the reference lists in the order of a hash table. */
export function sortedRules(body: Json): Json {
  const { status, ...rest } = body as Dict;
  const sorted = (value: Json | undefined): Json =>
    dicts(value)
      .map((rule) => JSON.stringify(rule, Object.keys(rule).sort()))
      .sort()
      .map((text) => JSON.parse(text) as Json);
  const { resourceRules, nonResourceRules, ...other } = status as Dict;
  return {
    ...rest,
    status: { ...other, resourceRules: sorted(resourceRules), nonResourceRules: sorted(nonResourceRules) },
  };
}
