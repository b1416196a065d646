/** The kind EndpointSlice. metadata.generation counts changes of labels too. */
import { fieldAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  complain,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import {
  checkLabelValue,
  checkQualifiedName,
  validateFullyQualifiedDomainName,
  validateLabels,
} from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import {
  type Complaints,
  checkDns1123Label,
  checkDns1123Subdomain,
} from '../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { incremented } from '../../../server/registry/object-metadata.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { ensureMeta, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { ipFamily, ipWarnings, validateIp, validateLegacyIp, validateNonSpecialIp } from '../../shared/ip.ts';
import { PROTOCOLS } from '../../shared/ports.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { endpointSliceTable } from './endpoint-slice-table.ts';

const METADATA = FieldPath.of('metadata');
const ADDRESS_TYPE = FieldPath.of('addressType');
const PORTS = FieldPath.of('ports');
const ENDPOINTS = FieldPath.of('endpoints');
const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** The managers whose slices get no warnings: they write addresses in canonical form. */
const CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20000;
const MAX_ENDPOINTS = 1000;
const MAX_HINTS = 8;
const MAX_TOPOLOGY = 16;

export const ENDPOINT_SLICE: KubeResource = {
  definition: storedResource({
    plural: 'endpointslices',
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'discovery.k8s.io',
        version: 'v1',
        kind: 'EndpointSlice',
        setDefaults: setEndpointSliceDefaults,
        table: endpointSliceTable,
      }),
    ],
    strategy: strategyWithDefaults({
      prepareForCreate: prepareEndpointSliceForCreate,
      validate: (slice) => validateEndpointSlice(slice),
      validatesMetadata: true,
      warningsOnCreate: endpointSliceCreateWarnings,
      prepareForUpdate: prepareEndpointSliceForUpdate,
      validateUpdate: validateEndpointSliceUpdate,
      warningsOnUpdate: endpointSliceWarnings,
    }),
  }),
};

function setEndpointSliceDefaults(object: JsonObject): void {
  for (const port of objectsAt(object, 'ports')) {
    if (fieldAt(port, 'name') === undefined) port['name'] = '';
    if (fieldAt(port, 'protocol') === undefined) port['protocol'] = 'TCP';
  }
}

function prepareEndpointSliceForCreate(object: JsonObject): void {
  ensureMeta(object)['generation'] = 1;
  dropTopology(object);
}

function prepareEndpointSliceForUpdate(object: JsonObject, old: JsonObject): void {
  const contentOf = ({ metadata: _metadata, ...content }: JsonObject): JsonObject => content;
  const labelsOf = (one: JsonObject): JsonObject => objectAt(one, 'metadata', 'labels') ?? {};
  const meta = ensureMeta(object);
  if (!equalJson(contentOf(object), contentOf(old)) || !equalJson(labelsOf(object), labelsOf(old)))
    meta['generation'] = incremented(fieldAt(old, 'metadata', 'generation'));
  if (!equalJson([...listAt(object, 'endpoints')], [...listAt(old, 'endpoints')])) dropTopology(object);
}

/** Clients cannot write the deprecated field through discovery.k8s.io/v1. */
function dropTopology(object: JsonObject): void {
  for (const endpoint of objectsAt(object, 'endpoints')) delete endpoint['deprecatedTopology'];
}

/** `old` is undefined on create. Skips endpoints that did not change. */
function validateEndpointSlice(object: JsonObject, old?: JsonObject): FieldIssue[] {
  const type = textAt(object, 'addressType');
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  if (type === '') issues.push(required(ADDRESS_TYPE, ''));
  else if (!ADDRESS_TYPES.includes(type)) issues.push(notSupported(ADDRESS_TYPE, type, ADDRESS_TYPES));
  addIssues(issues, validatePorts(objectsAt(object, 'ports')));
  const wrong = validateEndpoints(objectsAt(object, 'endpoints'), type);
  const isOld =
    wrong.length > 0 && old !== undefined && equalJson([...listAt(object, 'endpoints')], [...listAt(old, 'endpoints')]);
  if (!isOld) addIssues(issues, wrong);
  return issues;
}

function validateEndpointSliceUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateEndpointSlice(object, old),
    ...validateImmutableField(textAt(object, 'addressType'), textAt(old, 'addressType'), ADDRESS_TYPE),
  ];
}

function endpointSliceCreateWarnings(object: JsonObject): readonly string[] {
  const isDeprecated = textAt(object, 'addressType') === 'FQDN';
  return [
    ...(isDeprecated ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...endpointSliceWarnings(object),
  ];
}

function endpointSliceWarnings(object: JsonObject): readonly string[] {
  if (CONTROLLERS.includes(textAt(object, 'metadata', 'labels', MANAGED_BY))) return [];
  return objectsAt(object, 'endpoints').flatMap((endpoint, i) =>
    textsAt(endpoint, 'addresses').flatMap((ip, j) => ipWarnings(ip, ENDPOINTS.index(i).child('addresses').index(j))),
  );
}

function validatePorts(ports: readonly JsonObject[]): FieldIssue[] {
  if (ports.length > MAX_PORTS) return [tooMany(PORTS, ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const path = PORTS.index(i);
    const name = textAt(port, 'name');
    const issues = name === '' ? [] : complain(checkDns1123Label(name), name, path.child('name'));
    if (names.has(name)) issues.push(duplicate(path.child('name'), name));
    names.add(name);
    const protocol = fieldAt(port, 'protocol');
    if (protocol === undefined) issues.push(required(path.child('protocol'), ''));
    else if (!PROTOCOLS.includes(protocol as string))
      issues.push(notSupported(path.child('protocol'), protocol, PROTOCOLS));
    const appProtocol = fieldAt(port, 'appProtocol');
    if (typeof appProtocol === 'string')
      addIssues(issues, complain(checkQualifiedName(appProtocol), appProtocol, path.child('appProtocol')));
    return issues;
  });
}

function validateEndpoints(endpoints: readonly JsonObject[], type: string): FieldIssue[] {
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany(ENDPOINTS, endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, type, ENDPOINTS.index(i)));
}

function validateEndpoint(endpoint: JsonObject, type: string, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const addresses = textsAt(endpoint, 'addresses');
  const addressPath = path.child('addresses');
  if (addresses.length === 0) issues.push(required(addressPath, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES) issues.push(tooMany(addressPath, addresses.length, MAX_ADDRESSES));
  for (const [i, address] of addresses.entries()) addIssues(issues, validateAddress(address, type, addressPath, i));
  const node = fieldAt(endpoint, 'nodeName');
  if (typeof node === 'string') addIssues(issues, complain(checkDns1123Subdomain(node), node, path.child('nodeName')));
  const topology = objectAt(endpoint, 'deprecatedTopology') ?? {};
  const topologyPath = path.child('deprecatedTopology');
  const size = Object.keys(topology).length;
  if (size > MAX_TOPOLOGY) issues.push(tooMany(topologyPath, size, MAX_TOPOLOGY));
  addIssues(issues, validateLabels(topology as Record<string, string>, topologyPath));
  const host = fieldAt(endpoint, 'hostname');
  if (typeof host === 'string') addIssues(issues, complain(checkDns1123Label(host), host, path.child('hostname')));
  const hints = objectAt(endpoint, 'hints');
  return hints === undefined ? issues : [...issues, ...validateHints(hints, path.child('hints'))];
}

function validateAddress(address: string, type: string, path: FieldPath, index: number): FieldIssue[] {
  const own = path.index(index);
  if (type === 'FQDN') return validateFullyQualifiedDomainName(address, own);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const issues = type === 'IPv4' ? validateLegacyIp(address, own) : validateIp(address, own);
  if (issues.length > 0) return issues;
  const other = ipFamily(address) === type ? [] : [invalid(path, address, `must be an ${type} address`)];
  return [...other, ...validateNonSpecialIp(address, own)];
}

function validateHints(hints: JsonObject, path: FieldPath): FieldIssue[] {
  const zones = objectsAt(hints, 'forZones');
  if (zones.length > MAX_HINTS) return [tooMany(path.child('forZones'), zones.length, MAX_HINTS)];
  const issues = validateHintNames(zones, path.child('forZones'), checkLabelValue);
  const nodes = objectsAt(hints, 'forNodes');
  if (nodes.length > MAX_HINTS) return [...issues, tooMany(path.child('forNodes'), nodes.length, MAX_HINTS)];
  return [...issues, ...validateHintNames(nodes, path.child('forNodes'), checkDns1123Subdomain)];
}

function validateHintNames(
  hints: readonly JsonObject[],
  path: FieldPath,
  check: (name: string) => Complaints,
): FieldIssue[] {
  const seen = new Set<string>();
  return hints.flatMap((hint, i) => {
    const name = textAt(hint, 'name');
    const own = path.index(i).child('name');
    const issues = seen.has(name) ? [duplicate(own, name)] : [];
    seen.add(name);
    return [...issues, ...complain(check(name), name, own)];
  });
}
