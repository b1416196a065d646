/**
 * Parses the discovery documents of other servers: the aggregated form (apidiscovery.k8s.io, v2 and v2beta1, which
 * differ only in that name) and the legacy APIResourceList. Both become the `resources` of an APIVersionDiscovery.
 *
 * Invariant: unknown fields are kept. A resource whose known fields have wrong types is refused, because the document
 * of all groups could otherwise not be encoded.
 */
import { formatGroupVersion, type GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { fieldAt, flagAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { encodeMessage } from '../../apimachinery/protobuf/encode.ts';
import { formatPath } from '../../apimachinery/validation/field-path.ts';
import { TransportError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { viewOfTypeName } from '../../kinds/views.ts';

/** The resources of group-versions, by `group/version`. */
export type GivenVersions = ReadonlyMap<string, readonly JsonObject[]>;

/** The deepest nesting of a document. The known fields need six levels. */
const MAX_DEPTH = 100;
const RESOURCE_TYPE = 'io.k8s.api.apidiscovery.v2.APIResourceDiscovery';

/** Whether a content type is that of the aggregated form. */
export function isAggregatedForm(contentType: string): boolean {
  const [media = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const has = (text: string): boolean => parameters.includes(text);
  return (
    media === 'application/json' &&
    has('g=apidiscovery.k8s.io') &&
    has('as=APIGroupDiscoveryList') &&
    (has('v=v2') || has('v=v2beta1'))
  );
}

/**
 * Parses an APIGroupDiscoveryList. Only the versions in `wanted` are read. Throws TransportError if the body is not
 * such a list.
 */
export function parseAggregated(body: Uint8Array, wanted: readonly GroupVersion[]): GivenVersions {
  const document = parseDocument(body, 'APIGroupDiscoveryList');
  const names = new Set(wanted.map(formatGroupVersion));
  const versions = new Map<string, readonly JsonObject[]>();
  for (const item of objectsAt(document, 'items')) {
    const group = textAt(item, 'metadata', 'name');
    for (const entry of objectsAt(item, 'versions')) {
      const name = formatGroupVersion({ group, version: textAt(entry, 'version') });
      if (names.has(name)) versions.set(name, listOf(fieldAt(entry, 'resources'), name).map(withKinds));
    }
  }
  for (const [name, resources] of versions) checkResources(name, resources);
  return versions;
}

/** Parses an APIResourceList. Throws TransportError if the body is not such a list. */
export function parseLegacy(body: Uint8Array, version: GroupVersion): readonly JsonObject[] {
  const document = parseDocument(body, 'APIResourceList');
  const name = formatGroupVersion(version);
  const given = listOf(fieldAt(document, 'resources'), name);
  const resources = new Map<string, JsonObject>();
  const subresources: JsonObject[] = [];
  for (const entry of given) {
    const plural = textAt(entry, 'name');
    if (plural.includes('/')) subresources.push(entry);
    else resources.set(plural, fromLegacy(entry));
  }
  for (const entry of subresources) addSubresource(resources, entry, name);
  const made = [...resources.values()];
  checkResources(name, made);
  return made;
}

function parseDocument(body: Uint8Array, kind: string): JsonObject {
  const read = readJson(body, { maxDepth: MAX_DEPTH });
  if (!read.ok) throw new TransportError(`the answer is not JSON: ${read.error.message}`);
  if (isJsonObject(read.value) && read.value['kind'] === kind) return read.value;
  throw new TransportError(`the answer is not an ${kind}`);
}

function listOf(value: JsonValue | undefined, name: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isJsonObject)) return value as JsonObject[];
  throw new TransportError(`the resources of ${name} are not a list of objects`);
}

const NO_KIND: JsonObject = { group: '', version: '', kind: '' };

/**
 * Adds an empty kind to resources without a kind, as kube-aggregator does, because client-go 0.26 fails without it
 * (kubernetes#118361).
 */
function withKinds(resource: JsonObject): JsonObject {
  const { subresources } = resource;
  return {
    ...withKind(resource),
    ...(Array.isArray(subresources) && {
      subresources: subresources.map((entry) => (isJsonObject(entry) ? withKind(entry) : entry)),
    }),
  };
}

function withKind(entry: JsonObject): JsonObject {
  return entry['responseKind'] === undefined ? { ...entry, responseKind: NO_KIND } : entry;
}

/** The fields are those of endpoints.ConvertGroupVersionIntoToDiscovery in k8s.io/apiserver. */
function fromLegacy(entry: JsonObject): JsonObject {
  const { shortNames, categories } = entry;
  return {
    resource: textAt(entry, 'name'),
    responseKind: kindOf(entry),
    scope: scopeOf(entry),
    singularResource: textAt(entry, 'singularName'),
    verbs: [...textsAt(entry, 'verbs')],
    ...(shortNames !== undefined && { shortNames }),
    ...(categories !== undefined && { categories }),
  };
}

function addSubresource(resources: Map<string, JsonObject>, entry: JsonObject, name: string): void {
  const path = textAt(entry, 'name');
  const slash = path.indexOf('/');
  const plural = path.slice(0, slash);
  const scope = scopeOf(entry);
  let parent = resources.get(plural);
  if (parent === undefined) {
    parent = { resource: plural, responseKind: NO_KIND, scope, singularResource: '', verbs: [] };
    resources.set(plural, parent);
  }
  if (parent['scope'] !== scope)
    throw new TransportError(`${path} of ${name} has the scope ${scope}, its resource has not`);
  const known = parent['subresources'];
  const subresource = {
    subresource: path.slice(slash + 1),
    responseKind: textAt(entry, 'kind') === '' ? NO_KIND : kindOf(entry),
    verbs: [...textsAt(entry, 'verbs')],
  };
  parent['subresources'] = [...(Array.isArray(known) ? known : []), subresource];
}

function kindOf(entry: JsonObject): JsonObject {
  return { group: textAt(entry, 'group'), version: textAt(entry, 'version'), kind: textAt(entry, 'kind') };
}

function scopeOf(entry: JsonObject): string {
  return flagAt(entry, 'namespaced') ? 'Namespaced' : 'Cluster';
}

function checkResources(name: string, resources: readonly JsonObject[]): void {
  const view = viewOfTypeName(RESOURCE_TYPE);
  for (const [i, resource] of resources.entries()) {
    const encoded = encodeMessage(view, resource);
    if (!encoded.ok) {
      const { path, message } = encoded.error;
      throw new TransportError(
        `resource ${i} of ${name}: ${path === undefined ? '' : `${formatPath(path)}: `}${message}`,
      );
    }
    if (textAt(resource, 'resource') === '') throw new TransportError(`resource ${i} of ${name} has no name`);
  }
}
