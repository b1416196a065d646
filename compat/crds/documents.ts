/**
 * What the servers publish about the kinds: discovery and OpenAPI v3. Invariant: documents are compared kind by kind, so one wrong kind is one miss.
 * Descriptions inside a CRD's schema are the author's and are compared; those of apiVersion, kind, metadata and of operations are the server's.
 */
import type { Json } from '../diff/normalise.ts';
import { isDict, type JsonDict } from './schema.ts';
import type { Asked, Session } from './session.ts';
import type { Resource, SubjectRun } from './subject.ts';
import { compareBodies, type Verdict } from './verdict.ts';

const TRIES = 40;
const WAIT_MS = 100;

/** The document of the resource's group-version, its own entries. Publishing may follow the definition: only what stays different counts. */
export async function compareDiscovery(run: SubjectRun, resource: Resource): Promise<void> {
  const { group, names } = resource.definition.spec;
  const view = ({ raw: body }: Verdict): Json => {
    const resources = (isDict(body) ? (body['resources'] as JsonDict[] | undefined) : undefined) ?? [];
    return resources.filter(({ name }) => String(name).split('/')[0] === names.plural);
  };
  const path = `/apis/${group}/${resource.version.name}`;
  await compareWhenSettled(run, 'discovery', path, view);
}

/** The schema of the kind and the operations on it. */
export async function compareOpenApi(run: SubjectRun, resource: Resource): Promise<void> {
  const { group, names } = resource.definition.spec;
  const version = resource.version.name;
  const view = ({ raw: body }: Verdict): Json => {
    if (!isDict(body)) return null;
    const components = isDict(body['components']) ? body['components'] : {};
    const schemas = isDict(components['schemas']) ? components['schemas'] : {};
    const own = Object.entries(schemas).filter(([, schema]) =>
      kindsOf(schema).includes(`${group}/${version}/${names.kind}`),
    );
    const paths = Object.entries(isDict(body['paths']) ? body['paths'] : {}).filter(([path]) =>
      path.split('/').includes(names.plural),
    );
    return {
      schemas: Object.fromEntries(own.map(([name, schema]) => [name, withoutServerWords(schema)])),
      operations: Object.fromEntries(paths.map(([path, item]) => [path, withoutDescriptions(item)])),
    };
  };
  await compareWhenSettled(run, 'openapi', `/openapi/v3/apis/${group}/${version}`, view);
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Aggregated discovery and OpenAPI v2, asked once at the end and compared kind by kind. */
export async function compareAggregated(
  session: Session,
  all: readonly { readonly run: SubjectRun; readonly resource: Resource }[],
): Promise<void> {
  const discovery = await session.ask({ method: 'GET', path: '/apis', accept: AGGREGATED });
  const openapi = await session.ask({ method: 'GET', path: '/openapi/v2', accept: 'application/json' });
  for (const { run, resource } of all) {
    const { group, names } = resource.definition.spec;
    const version = resource.version.name;
    const entry = (verdict: Verdict | undefined): Json => {
      const groups = dicts(isDict(verdict?.raw) ? verdict.raw['items'] : undefined);
      const own = groups.find(({ metadata }) => isDict(metadata) && metadata['name'] === group);
      const versions = dicts(own?.['versions']).filter((one) => one['version'] === version);
      return versions.flatMap((one) => dicts(one['resources']).filter(({ resource: name }) => name === names.plural));
    };
    run.add(
      'discovery',
      `aggregated ${version}`,
      compareBodies('discovery', entry(discovery.reference), entry(discovery.candidate)),
    );
    const definition = (verdict: Verdict | undefined): Json => {
      const definitions = isDict(verdict?.raw) && isDict(verdict.raw['definitions']) ? verdict.raw['definitions'] : {};
      const own = Object.entries(definitions).filter(([, schema]) =>
        kindsOf(schema).includes(`${group}/${version}/${names.kind}`),
      );
      return Object.fromEntries(own.map(([name, schema]) => [name, withoutServerWords(schema)]));
    };
    run.add(
      'openapi',
      `v2 ${version}`,
      compareBodies('openapi', definition(openapi.reference), definition(openapi.candidate)),
    );
  }
}

function dicts(value: Json | undefined): JsonDict[] {
  return Array.isArray(value) ? (value as JsonDict[]) : [];
}

async function compareWhenSettled(
  run: SubjectRun,
  aspect: 'discovery' | 'openapi',
  path: string,
  view: (verdict: Verdict) => Json,
): Promise<void> {
  const differences = ({ reference, candidate }: Asked): ReturnType<typeof compareBodies> =>
    candidate === undefined ? [] : compareBodies(aspect, view(reference), view(candidate));
  let asked = await run.session.ask({ method: 'GET', path });
  let found = differences(asked);
  // Ours is right at once, or wrong.
  const lags = (): boolean => asked.verdicts.some((verdict, i) => run.session.isReference(i) && isEmpty(view(verdict)));
  for (let i = 0; i < TRIES && found.length > 0 && lags(); i++) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    asked = await run.session.ask({ method: 'GET', path });
    found = differences(asked);
  }
  run.add(aspect, path, found);
}

/** Not published yet. */
function isEmpty(view: Json): boolean {
  return (
    view === null ||
    (Array.isArray(view) && view.length === 0) ||
    (isDict(view) && isDict(view['schemas']) && Object.keys(view['schemas']).length === 0)
  );
}

function kindsOf(schema: Json): string[] {
  const kinds = isDict(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
  return (Array.isArray(kinds) ? (kinds as JsonDict[]) : []).map(
    ({ group, version, kind }) => `${String(group)}/${String(version)}/${String(kind)}`,
  );
}

function withoutServerWords(schema: Json): Json {
  if (!isDict(schema) || !isDict(schema['properties'])) return schema;
  const properties = { ...schema['properties'] };
  for (const name of ['apiVersion', 'kind', 'metadata', 'items'])
    if (properties[name] !== undefined) properties[name] = withoutDescriptions(properties[name]);
  return { ...schema, properties };
}

function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isDict(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== 'description' || typeof child !== 'string')
      .map(([key, child]) => [key, withoutDescriptions(child)]),
  );
}
