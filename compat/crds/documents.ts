/**
 * The comparison of the documents about the kinds: discovery and OpenAPI v3. Invariant: documents are compared kind by
 * kind, so a wrong kind is one miss. Descriptions in a CRD's schema are compared; those of apiVersion, kind, metadata
 * and of operations are the server's own words and are not.
 */
import type { Json } from '../diff/normalise.ts';
import { isDict, type JsonDict } from './schema.ts';
import type { Asked, Session } from './session.ts';
import type { Resource, SubjectRun } from './subject.ts';
import { compareBodies, type Verdict } from './verdict.ts';

const TRIES = 40;
const WAIT_MS = 100;

/**
 * Compares the entries of the resource in the discovery document of its group-version. Publishing takes time, so only
 * differences that remain count.
 */
export async function compareDiscovery(run: SubjectRun, resource: Resource): Promise<void> {
  const { group, names } = resource.definition.spec;
  const view = ({ raw: body }: Verdict): Json => {
    const resources = (isDict(body) ? (body['resources'] as JsonDict[] | undefined) : undefined) ?? [];
    return resources.filter(({ name }) => String(name).split('/')[0] === names.plural);
  };
  const path = `/apis/${group}/${resource.version.name}`;
  await compareWhenSettled(run, 'discovery', path, view);
}

/** Compares the schema of the kind and its operations. */
export async function compareOpenApi(run: SubjectRun, resource: Resource): Promise<void> {
  const { group, names } = resource.definition.spec;
  const path = `/openapi/v3/apis/${group}/${resource.version.name}`;
  const own = ofKind(resource);
  await compareWhenSettled(run, 'openapi schemas', path, ({ raw }) => {
    const components = isDict(raw) && isDict(raw['components']) ? raw['components'] : {};
    return own(components['schemas']);
  });
  await compareWhenSettled(run, 'openapi operations', path, ({ raw }) => {
    const paths = isDict(raw) && isDict(raw['paths']) ? raw['paths'] : {};
    return Object.fromEntries(
      Object.entries(paths)
        .filter(([place]) => place.split('/').includes(names.plural))
        .map(([place, item]) => [place.replace(names.plural, '<plural>'), withoutDescriptions(item)]),
    );
  });
}

/** Returns a function that finds the schema of the resource's kind in a map of schemas. */
function ofKind({ definition, version }: Resource): (schemas: Json | undefined) => JsonDict {
  const kind = `${definition.spec.group}/${version.name}/${definition.spec.names.kind}`;
  return (schemas) =>
    Object.fromEntries(
      Object.entries(isDict(schemas) ? schemas : {})
        .filter(([, schema]) => kindsOf(schema).includes(kind))
        .map(([name, schema]) => [name, withoutServerWords(schema)]),
    );
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Compares aggregated discovery and OpenAPI v2, requested once at the end, kind by kind. */
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
    const own = ofKind(resource);
    const schema = (verdict: Verdict | undefined): Json =>
      own(isDict(verdict?.raw) ? verdict.raw['definitions'] : undefined);
    run.add(
      'openapi schemas',
      `v2 ${version}`,
      compareBodies('v2', schema(openapi.reference), schema(openapi.candidate)),
    );
  }
}

function dicts(value: Json | undefined): JsonDict[] {
  return Array.isArray(value) ? (value as JsonDict[]) : [];
}

async function compareWhenSettled(
  run: SubjectRun,
  aspect: 'discovery' | 'openapi schemas' | 'openapi operations',
  path: string,
  view: (verdict: Verdict) => Json,
): Promise<void> {
  const differences = ({ reference, candidate }: Asked): ReturnType<typeof compareBodies> =>
    candidate === undefined ? [] : compareBodies(aspect, view(reference), view(candidate));
  let asked = await run.session.ask({ method: 'GET', path });
  let found = differences(asked);
  // Our server is asked once: it must be right at once.
  const lags = (): boolean => asked.verdicts.some((verdict, i) => run.session.isReference(i) && isEmpty(view(verdict)));
  for (let i = 0; i < TRIES && found.length > 0 && lags(); i++) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    asked = await run.session.ask({ method: 'GET', path });
    found = differences(asked);
  }
  run.add(aspect, path, found);
}

/** Reports whether the kind is not published yet. */
function isEmpty(view: Json): boolean {
  return Array.isArray(view) ? view.length === 0 : isDict(view) && Object.keys(view).length === 0;
}

function kindsOf(schema: Json): string[] {
  const kinds = isDict(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
  return (Array.isArray(kinds) ? (kinds as JsonDict[]) : []).map(
    ({ group, version, kind }) => `${String(group)}/${String(version)}/${String(kind)}`,
  );
}

/** Drops the descriptions of apiVersion, kind and metadata at the root and in embedded resources. */
function withoutServerWords(schema: Json, isResource = true): Json {
  if (Array.isArray(schema)) return schema.map((item) => withoutServerWords(item, false));
  if (!isDict(schema)) return schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  return Object.fromEntries(
    Object.entries(schema).map(([key, child]) => {
      if (key !== 'properties' || !isDict(child)) return [key, withoutServerWords(child, false)];
      const properties = Object.entries(child).map(([name, property]) => [
        name,
        (isResource || embedded) && ['apiVersion', 'kind', 'metadata'].includes(name)
          ? withoutDescriptions(property)
          : withoutServerWords(property, false),
      ]);
      return [key, Object.fromEntries(properties) as JsonDict];
    }),
  );
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
