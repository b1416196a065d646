/** Reads the webhooks and policies of a server, with the objects that their matching and evaluation need. */
import { namespaceOf } from '../../apimachinery/meta/meta.ts';
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { isNotFound } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Client } from '../../client/api.ts';
import { createDiscovery, type Discovery } from '../../client/discovery.ts';
import { type ServerTarget, withServer } from '../object-target.ts';

const GROUP = 'admissionregistration.k8s.io';
/** The resources to read. Policies come before their bindings. */
const KINDS = [
  'mutatingadmissionpolicies',
  'validatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
];

/**
 * Returns, in the order in which they can be created: namespaces of the objects, definitions of their kinds and of
 * parameters, parameters, and the configurations.
 */
export function readServerConfigurations(
  server: ServerTarget,
  objects: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  return withServer(server, async (client) => {
    const discovery = createDiscovery(client);
    const configurations: JsonObject[] = [];
    for (const kind of KINDS) configurations.push(...(await listAll(client, discovery, `${kind}.${GROUP}`)));
    const paramKinds = configurations
      .map((object) => objectAt(object, 'spec', 'paramKind'))
      .filter((kind) => kind !== undefined);
    const definitions = await definitionsOf(client, discovery, [...objects, ...paramKinds]);
    const params: JsonObject[] = [];
    for (const kind of new Set(paramKinds.map(resourceName))) params.push(...(await listAll(client, discovery, kind)));
    return [
      ...(await namespacesOf(client, discovery, [...objects, ...params])),
      ...definitions,
      ...params,
      ...configurations,
    ];
  });
}

/** Returns `Kind.version.group`. */
function resourceName(object: JsonObject): string {
  const [group, version] = groupVersion(object);
  return group === '' ? textAt(object, 'kind') : `${textAt(object, 'kind')}.${version}.${group}`;
}

function groupVersion(object: JsonObject): readonly [string, string] {
  const apiVersion = textAt(object, 'apiVersion');
  const slash = apiVersion.indexOf('/');
  return [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
}

async function listAll(client: Client, discovery: Discovery, name: string): Promise<readonly JsonObject[]> {
  const resource = await discovery.find(name);
  if (resource === undefined) return [];
  const items = (await client.all(resource).list().toArray()) as unknown as readonly JsonObject[];
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  return items.map((item) => ({ ...item, apiVersion, kind: resource.kind }));
}

async function namespacesOf(
  client: Client,
  discovery: Discovery,
  objects: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const names = new Set(objects.map(namespaceOf).filter((name) => name !== ''));
  const namespaces = await discovery.kindOf('v1', 'Namespace');
  const found: JsonObject[] = [];
  for (const name of names) {
    try {
      found.push((await client.api(namespaces, undefined).get(name)) as unknown as JsonObject);
    } catch (caught) {
      if (!isNotFound(caught)) throw caught;
    }
  }
  return found;
}

async function definitionsOf(
  client: Client,
  discovery: Discovery,
  objects: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const wanted = new Set(objects.map((object) => `${groupVersion(object)[0]} ${textAt(object, 'kind')}`));
  const all = await listAll(client, discovery, 'customresourcedefinitions.apiextensions.k8s.io');
  return all.filter((crd) => wanted.has(`${textAt(crd, 'spec', 'group')} ${textAt(crd, 'spec', 'names', 'kind')}`));
}
