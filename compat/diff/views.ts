/**
 * What of an answer is compared where other topics define kinds at the same time: discovery and OpenAPI of the built-in groups. Invariant: a view
 * drops only what is named here; everything it keeps is compared in full.
 */
import type { Json } from './normalise.ts';

export type View = (body: Json) => Json;

type Dict = { [key: string]: Json };

const PLAIN_GROUPS = ['', 'apps', 'autoscaling', 'batch', 'policy'];
/** Groups of definitions that a topic or a script makes. */
const MADE_GROUPS = ['things.k8s.io', 'seedcrd.k8s.io'];
/** Groups whose kinds are only sent to webhooks. */
const UNSERVED_GROUPS = ['admission.k8s.io', 'imagepolicy.k8s.io'];
/** Ours alone serves it, which the lists of groups show. */
const OURS = 'apiextensions.k8s.io/v1beta1';

function isBuiltIn(group: string): boolean {
  return PLAIN_GROUPS.includes(group) || (group.endsWith('.k8s.io') && !MADE_GROUPS.includes(group));
}

/** Of `apps/v1`, or `v1`. */
export function isBuiltInVersion(groupVersion: string): boolean {
  return isBuiltIn(groupVersion.split('/').slice(0, -1).join('/')) && groupVersion !== OURS;
}

function dicts(value: Json | undefined): Dict[] {
  return Array.isArray(value) ? (value as Dict[]) : [];
}

/** APIGroupList: built-in groups only. */
export function builtInGroups(body: Json): Json {
  const list = body as Dict;
  return { ...list, groups: dicts(list['groups']).filter((group) => isBuiltIn(String(group['name']))) };
}

/** APIGroupDiscoveryList: built-in groups and their versions. */
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

/** The paths of `/`: those of built-in groups, and of no checks. */
export function builtInPaths(body: Json): Json {
  const paths = ((body as Dict)['paths'] as string[]).filter((path) => {
    const [, group, version] = /^\/apis\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    return group === undefined || (version === undefined ? isBuiltIn(group) : isBuiltInVersion(`${group}/${version}`));
  });
  return { paths: paths.filter((path) => !/^\/(healthz|livez|readyz|debug|logs)/.test(path)) };
}

/** The index of OpenAPI v3: documents of built-in groups, hashes aside. */
export function openApiIndex(body: Json): Json {
  const paths = (body as Dict)['paths'] as Dict;
  const kept = Object.keys(paths).filter((path) => isBuiltInPath(`/${path}`));
  return Object.fromEntries(
    kept.map((path) => [path, String((paths[path] as Dict)['serverRelativeURL']).replace(/hash=\w+/, 'hash=<hash>')]),
  );
}

const GVK = 'x-kubernetes-group-version-kind';
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'];

/** An OpenAPI document: built-in paths, the schemas they reach, and no descriptions, which are our own words. */
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

/** Lists of parameters by name, references followed: version 2 shares them under names with hashes. */
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

/** Options and events belong to every group there is: the built-in ones that are served. The reference also names versions that it only knows. */
function builtInKindsOf(kinds: Json): Json {
  if (!Array.isArray(kinds)) return kinds;
  return dicts(kinds).filter(
    ({ group, version }) =>
      !UNSERVED_GROUPS.includes(String(group)) &&
      /^v\d+$/.test(String(version)) &&
      isBuiltInVersion(group === '' ? String(version) : `${String(group)}/${String(version)}`),
  );
}

/** Also keeps of lists of kinds only built-in ones. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, key === GVK ? builtInKindsOf(child) : withoutDescriptions(child)]),
  );
}

/** An OpenAPI document's operations: `get /path` with its id. */
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

/** A watch without the bookmarks that only tell the time: how many come depends on the clock. */
export function withoutClockBookmarks(body: Json): Json {
  const events = Array.isArray(body) ? (body as Dict[]) : [body as Dict];
  return events.filter((event) => {
    const { metadata } = (event['object'] ?? {}) as { metadata?: Dict };
    return event['type'] !== 'BOOKMARK' || JSON.stringify(metadata ?? {}).includes('initial-events-end');
  });
}

/** A watch with runs of bookmarks as one. */
export function withBookmarksJoined(body: Json): Json {
  const events = Array.isArray(body) ? (body as Dict[]) : [body as Dict];
  return events.filter((event, i) => event['type'] !== 'BOOKMARK' || events[i + 1]?.['type'] !== 'BOOKMARK');
}

/** A table whose cells tell ages, which depend on the clock. */
export function withoutAges(body: Json): Json {
  return JSON.parse(JSON.stringify(body).replace(/"\d+[smhdy](?:\d+[smhdy])?"/g, '"<age>"')) as Json;
}

/** Keeps the named fields of an object, descriptions aside. */
export function only(...fields: readonly string[]): View {
  return (body) =>
    Object.fromEntries(fields.map((field) => [field, withoutDescriptions((body as Dict)[field] ?? null)]));
}

/** SelfSubjectRulesReview: the reference lists rules in the order of a hash table. */
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
