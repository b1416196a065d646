/**
 * What of an answer is compared where the reference knows far more than we serve: discovery and OpenAPI restricted to our groups and kinds.
 * Invariant: a view drops only what is named here; everything it keeps is compared in full.
 */
import type { Json } from './normalise.ts';

export type View = (body: Json) => Json;

type Dict = { [key: string]: Json };

/** The group-versions both servers have, with the resources of ours; subresources follow their resource. */
export const SERVED: Readonly<Record<string, readonly string[]>> = {
  v1: ['namespaces', 'configmaps', 'secrets', 'serviceaccounts', 'events'],
  'events.k8s.io/v1': ['events'],
  'apiextensions.k8s.io/v1': ['customresourcedefinitions'],
  'coordination.k8s.io/v1': ['leases'],
  'rbac.authorization.k8s.io/v1': ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  'authentication.k8s.io/v1': ['tokenreviews', 'selfsubjectreviews'],
  'authorization.k8s.io/v1': [
    'subjectaccessreviews',
    'selfsubjectaccessreviews',
    'localsubjectaccessreviews',
    'selfsubjectrulesreviews',
  ],
};

export const SERVED_GROUPS: readonly string[] = Object.keys(SERVED)
  .filter((gv) => gv.includes('/'))
  .map((gv) => gv.split('/')[0] as string);

function servedGroupVersion(groupVersion: string): readonly string[] | undefined {
  return SERVED[groupVersion];
}

function isServedResource(groupVersion: string, name: string): boolean {
  return servedGroupVersion(groupVersion)?.includes(name.split('/')[0] as string) ?? false;
}

function dicts(value: Json | undefined): Dict[] {
  return Array.isArray(value) ? (value as Dict[]) : [];
}

/** APIGroupList: our groups only. */
export function ourGroups(body: Json): Json {
  const list = body as Dict;
  return { ...list, groups: dicts(list['groups']).filter((group) => SERVED_GROUPS.includes(String(group['name']))) };
}

/** APIResourceList: our resources only, in the order given. */
export function ourResources(body: Json): Json {
  const list = body as Dict;
  const groupVersion = String(list['groupVersion']);
  return {
    ...list,
    resources: dicts(list['resources']).filter((r) => isServedResource(groupVersion, String(r['name']))),
  };
}

/** APIGroupDiscoveryList: our groups, versions and resources. */
export function ourDiscovery(body: Json): Json {
  const list = body as Dict;
  const items = dicts(list['items']).flatMap((item) => {
    const group = String((item['metadata'] as Dict)['name'] ?? '');
    const versions = dicts(item['versions']).flatMap((version) => {
      const groupVersion = group === '' ? String(version['version']) : `${group}/${String(version['version'])}`;
      if (servedGroupVersion(groupVersion) === undefined) return [];
      const resources = dicts(version['resources']).filter((r) =>
        isServedResource(groupVersion, String(r['resource'])),
      );
      return [{ ...version, resources }];
    });
    return versions.length === 0 ? [] : [{ ...item, versions }];
  });
  return { ...list, items };
}

/** The paths of `/`: those that do not belong to a group the other server lacks. */
export function ourPaths(body: Json): Json {
  const foreign = /^\/apis\/([^/]+)/;
  const paths = ((body as Dict)['paths'] as string[]).filter((path) => {
    const group = foreign.exec(path)?.[1];
    return group === undefined || SERVED_GROUPS.includes(group);
  });
  return { paths: paths.filter((path) => !/^\/(healthz|livez|readyz|debug|logs)/.test(path)) };
}

/** The index of OpenAPI v3: our documents, hashes aside. */
export function ourOpenApiIndex(body: Json): Json {
  const paths = (body as Dict)['paths'] as Dict;
  const kept = Object.keys(paths).filter((path) => {
    const match = /^apis?(?:\/(.*))?$/.exec(path);
    if (match === null) return true;
    const rest = match[1];
    if (rest === undefined) return true;
    return rest in SERVED || SERVED_GROUPS.includes(rest);
  });
  return Object.fromEntries(
    kept.map((path) => [path, String((paths[path] as Dict)['serverRelativeURL']).replace(/hash=\w+/, 'hash=<hash>')]),
  );
}

const GVK = 'x-kubernetes-group-version-kind';
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'];

/** An OpenAPI document: our paths, the schemas they reach, and no descriptions, which are our own words. */
export function ourOpenApi(body: Json): Json {
  const document = body as Dict;
  const served = Object.fromEntries(Object.entries(document['paths'] as Dict).filter(([path]) => isServedPath(path)));
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

function isServedPath(path: string): boolean {
  const match = /^\/(?:api|apis\/([^/]+))(?:\/([^/]+))?(?:\/(.*))?$/.exec(path);
  if (match === null) return true;
  const [, group, version, rest = ''] = match;
  if (version === undefined || version === '') return group === undefined || SERVED_GROUPS.includes(group);
  const groupVersion = group === undefined ? version : `${group}/${version}`;
  const kinds = servedGroupVersion(groupVersion);
  if (kinds === undefined) return false;
  const parts = rest.split('/').filter((part) => part !== '' && part !== 'watch');
  if (parts.length === 0) return true;
  const resource = parts[0] === 'namespaces' && parts.length > 2 ? parts[2] : parts[0];
  return (
    kinds.includes(resource as string) || (parts[0] === 'namespaces' && ['status', 'finalize'].includes(parts[2] ?? ''))
  );
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

/** Options and events belong to every group there is: those of ours. */
function ourKindsOf(kinds: Json): Json {
  if (!Array.isArray(kinds)) return kinds;
  return dicts(kinds).filter(
    ({ group, version }) => `${group === '' ? '' : `${String(group)}/`}${String(version)}` in SERVED,
  );
}

/** Also keeps of lists of kinds only ours. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, key === GVK ? ourKindsOf(child) : withoutDescriptions(child)]),
  );
}

/** An OpenAPI document's operations: `get /path` with its id. */
export function operations(body: Json): Json {
  const { paths } = ourOpenApi(body) as { paths: Dict };
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
