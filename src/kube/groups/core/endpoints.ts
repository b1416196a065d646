/** The kind Endpoints, deprecated in favour of EndpointSlice. */
import { fieldAt, listAt, numberAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { addIssues, complain, type FieldIssue, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPortNumber,
} from '../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { ipWarnings, validateLegacyIp, validateNonSpecialIp } from '../../shared/ip.ts';
import { validateProtocol } from '../../shared/ports.ts';
import { firstThree } from '../../shared/table-cells.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

/** The warning that every request gets. */
const DEPRECATION = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

const METADATA = FieldPath.of('metadata');
const SUBSETS = FieldPath.of('subsets');
const ADDRESS_LISTS = ['addresses', 'notReadyAddresses'] as const;

const endpointsTable: () => TableDefinition = tableOf(
  NAME,
  column('Endpoints', 'Addresses and ports.', (object) => {
    const subsets = objectsAt(object, 'subsets');
    return subsets.length === 0 ? '<none>' : firstThree(subsets.flatMap(addressesOf));
  }),
  AGE,
);

export const ENDPOINTS: KubeResource = {
  definition: storedResource({
    plural: 'endpoints',
    shortNames: ['ep'],
    scope: 'Namespaced',
    storagePrefix: 'services/endpoints',
    versions: [
      {
        ...builtInVersion({
          group: '',
          version: 'v1',
          kind: 'Endpoints',
          setDefaults: setEndpointsDefaults,
          table: endpointsTable,
        }),
        deprecationWarning: DEPRECATION,
      },
    ],
    strategy: strategyWithDefaults({
      allowCreateOnUpdate: true,
      validate: (endpoints) => validateEndpoints(endpoints),
      validatesMetadata: true,
      warningsOnCreate: endpointsWarnings,
      validateUpdate: validateEndpointsUpdate,
      warningsOnUpdate: endpointsWarnings,
    }),
  }),
};

function addressesOf(subset: JsonObject): readonly string[] {
  const ips = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = objectsAt(subset, 'ports');
  if (ports.length === 0) return ips;
  return ports.flatMap((port) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${numberAt(port, 'port')}`));
}

function setEndpointsDefaults(object: JsonObject): void {
  for (const subset of objectsAt(object, 'subsets'))
    for (const port of objectsAt(subset, 'ports')) if (textAt(port, 'protocol') === '') port['protocol'] = 'TCP';
}

/** Invalid subsets are accepted on update if the stored object has the same ones. */
function validateEndpoints(object: JsonObject, old?: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const invalidSubsets = objectsAt(object, 'subsets').flatMap((subset, i) => validateSubset(subset, SUBSETS.index(i)));
  const isUnchanged =
    invalidSubsets.length > 0 &&
    old !== undefined &&
    equalJson([...listAt(object, 'subsets')], [...listAt(old, 'subsets')]);
  return isUnchanged ? issues : [...issues, ...invalidSubsets];
}

function validateEndpointsUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateMetaUpdate(object, old), ...validateEndpoints(object, old)];
}

/** Warns about addresses that are not in canonical form. The endpoints controller never writes such addresses. */
function endpointsWarnings(object: JsonObject): readonly string[] {
  const manager = textAt(object, 'metadata', 'labels', 'endpoints.kubernetes.io/managed-by');
  if (manager === 'endpoint-controller') return [];
  return objectsAt(object, 'subsets').flatMap((subset, i) =>
    ADDRESS_LISTS.flatMap((list) =>
      objectsAt(subset, list).flatMap((address, j) =>
        ipWarnings(textAt(address, 'ip'), SUBSETS.index(i).child(list).index(j).child('ip')),
      ),
    ),
  );
}

function validateSubset(subset: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (ADDRESS_LISTS.every((list) => listAt(subset, list).length === 0))
    issues.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  for (const list of ADDRESS_LISTS)
    for (const [i, address] of objectsAt(subset, list).entries())
      addIssues(issues, validateAddress(address, path.child(list).index(i)));
  const ports = objectsAt(subset, 'ports');
  for (const [i, port] of ports.entries())
    addIssues(issues, validatePort(port, path.child('ports').index(i), ports.length > 1));
  return issues;
}

function validateAddress(address: JsonObject, path: FieldPath): FieldIssue[] {
  const [ip, host] = [textAt(address, 'ip'), textAt(address, 'hostname')];
  const node = fieldAt(address, 'nodeName');
  return [
    ...validateLegacyIp(ip, path.child('ip')),
    ...(host === '' ? [] : complain(checkDns1123Label(host), host, path.child('hostname'))),
    ...(typeof node === 'string' ? complain(checkDns1123Subdomain(node), node, path.child('nodeName')) : []),
    ...validateNonSpecialIp(ip, path.child('ip')),
  ];
}

function validatePort(port: JsonObject, path: FieldPath, needsName: boolean): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const name = textAt(port, 'name');
  if (name !== '') issues.push(...complain(checkDns1123Label(name), name, path.child('name')));
  else if (needsName) issues.push(required(path.child('name'), ''));
  const number = numberAt(port, 'port');
  issues.push(...complain(checkPortNumber(Number(number)), number, path.child('port')));
  issues.push(...validateProtocol(textAt(port, 'protocol'), path.child('protocol')));
  const appProtocol = fieldAt(port, 'appProtocol');
  if (typeof appProtocol === 'string')
    issues.push(...complain(checkQualifiedName(appProtocol), appProtocol, path.child('appProtocol')));
  return issues;
}
