/** The kind Ingress. */

import { fieldAt, numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  complain,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortName,
  checkPortNumber,
  checkWildcardDns1123Subdomain,
} from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepStatus, metaFacts, takeField } from '../../../server/resource/strategy-fields.ts';
import { updateSubresource } from '../../../server/resource/update-subresource.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { parseSloppyIp } from '../../shared/ip.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { balancerWarnings, validateIngressPoints } from '../core/service/service-status.ts';
import { balancerAddresses } from '../core/service/service-table.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS = ['/..', '/.'];

/** Values that an update accepts because the stored object has some that are invalid by today's rules. */
interface Leniency {
  readonly secretNames: boolean;
  readonly wildcardRules: boolean;
}

const STRICT: Leniency = { secretNames: false, wildcardRules: false };

const ingressTable: () => TableDefinition = tableOf(
  NAME,
  column('Class', 'The IngressClass it asks for.', (object) => textAt(object, 'spec', 'ingressClassName') || '<none>'),
  column('Hosts', 'The hosts of its rules.', hostsText),
  column('Address', 'Where its load balancer is.', (object) => balancerAddresses(object).join(',')),
  column('Ports', 'Where it listens.', (object) => (objectsAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
  AGE,
);

const INGRESS_STRATEGY: Strategy = strategyWithDefaults({
  countsGeneration: true,
  prepareForCreate: (ingress) => {
    ingress['status'] = { loadBalancer: {} };
  },
  validate: validateIngress,
  validatesMetadata: true,
  warningsOnCreate: ingressWarnings,
  prepareForUpdate: keepStatus,
  validateUpdate: validateIngressUpdate,
});

export const INGRESS: KubeResource = {
  definition: storedResource({
    plural: 'ingresses',
    shortNames: ['ing'],
    scope: 'Namespaced',
    storagePrefix: 'ingress',
    versions: [builtInVersion({ group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', table: ingressTable })],
    strategy: INGRESS_STRATEGY,
    subresources: [
      updateSubresource(
        'status',
        strategyWithDefaults({
          resetFields: RESETS_SPEC,
          prepareForUpdate: (ingress, old) => takeField(ingress, old, 'spec'),
          validateUpdate: validateIngressStatusUpdate,
          warningsOnUpdate: balancerWarnings,
        }),
      ),
    ],
  }),
};

function hostsText(object: JsonObject): string {
  const rules = objectsAt(object, 'spec', 'rules');
  const shown: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (shown.length === 3) more = true;
    const host = textAt(rule, 'host');
    if (!more && host !== '') shown.push(host);
  }
  if (shown.length === 0) return '*';
  return shown.join(',') + (more ? ` + ${rules.length - 3} more...` : '');
}

function validateIngress(object: JsonObject): FieldIssue[] {
  const issues = validateContent(object, STRICT);
  const annotation = fieldAt(object, 'metadata', 'annotations', CLASS_ANNOTATION);
  const name = fieldAt(object, 'spec', 'ingressClassName');
  if (annotation !== undefined && name !== undefined && annotation !== name) {
    const path = FieldPath.of('annotations', CLASS_ANNOTATION);
    issues.push(invalid(path, annotation, 'must match `ingressClassName` when both are specified'));
  }
  return issues;
}

function validateIngressUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const leniency = {
    secretNames: objectsAt(old, 'spec', 'tls').some((tls) => validateSecretName(tls, SPEC).length > 0),
    wildcardRules: objectsAt(old, 'spec', 'rules').some(
      (rule) => textAt(rule, 'host').includes('*') && validateHttp(rule, SPEC).length > 0,
    ),
  };
  return [...validateMetaUpdate(object, old), ...validateContent(object, leniency)];
}

function validateIngressStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateMetaUpdate(object, old), ...validateIngressPoints(object, old)];
}

function ingressWarnings(object: JsonObject): readonly string[] {
  const annotation = fieldAt(object, 'metadata', 'annotations', CLASS_ANNOTATION);
  if (annotation === undefined || fieldAt(object, 'spec', 'ingressClassName') !== undefined) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}

function validateContent(object: JsonObject, leniency: Leniency): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const rules = objectsAt(spec, 'rules');
  const backend = objectAt(spec, 'defaultBackend');
  if (rules.length === 0 && backend === undefined)
    issues.push(invalid(SPEC, null, 'either `defaultBackend` or `rules` must be specified'));
  if (backend !== undefined) addIssues(issues, validateBackend(backend, SPEC.child('defaultBackend')));
  for (const [i, rule] of rules.entries())
    addIssues(issues, validateRule(rule, SPEC.child('rules').index(i), leniency));
  for (const [i, tls] of objectsAt(spec, 'tls').entries())
    addIssues(issues, validateTls(tls, SPEC.child('tls').index(i), leniency));
  const name = fieldAt(spec, 'ingressClassName');
  if (typeof name === 'string')
    issues.push(...complain(checkDns1123Subdomain(name), name, SPEC.child('ingressClassName')));
  return issues;
}

function validateTls(tls: JsonObject, path: FieldPath, leniency: Leniency): FieldIssue[] {
  const hosts = textsAt(tls, 'hosts').flatMap((host, i) =>
    complain(checkHost(host), host, path.child('hosts').index(i)),
  );
  return leniency.secretNames ? hosts : [...hosts, ...validateSecretName(tls, path)];
}

function validateSecretName(tls: JsonObject, path: FieldPath): FieldIssue[] {
  const name = textAt(tls, 'secretName');
  return name === '' ? [] : complain(checkDns1123Subdomain(name), name, path.child('secretName'));
}

function checkHost(host: string): readonly string[] {
  return host.includes('*') ? checkWildcardDns1123Subdomain(host) : checkDns1123Subdomain(host);
}

function validateRule(rule: JsonObject, path: FieldPath, leniency: Leniency): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const host = textAt(rule, 'host');
  if (host !== '') {
    if (parseSloppyIp(host) !== undefined)
      issues.push(invalid(path.child('host'), host, 'must be a DNS name, not an IP address'));
    issues.push(...complain(checkHost(host), host, path.child('host')));
  }
  return host.includes('*') && leniency.wildcardRules ? issues : [...issues, ...validateHttp(rule, path)];
}

function validateHttp(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const http = objectAt(rule, 'http');
  if (http === undefined) return [];
  const paths = objectsAt(http, 'paths');
  const pathsPath = path.child('http', 'paths');
  if (paths.length === 0) return [required(pathsPath, '')];
  return paths.flatMap((one, i) => validatePath(one, pathsPath.index(i)));
}

function validatePath(one: JsonObject, path: FieldPath): FieldIssue[] {
  const type = fieldAt(one, 'pathType');
  if (typeof type !== 'string') return [required(path.child('pathType'), 'pathType must be specified')];
  const text = textAt(one, 'path');
  const issues: FieldIssue[] = [];
  const complainOf = (detail: string): unknown => issues.push(invalid(path.child('path'), text, detail));
  const mayBeEmpty = type === 'ImplementationSpecific';
  if (!PATH_TYPES.includes(type)) issues.push(notSupported(path.child('pathType'), type, PATH_TYPES));
  else {
    if (!text.startsWith('/') && !(mayBeEmpty && text === '')) complainOf('must be an absolute path');
    if (!mayBeEmpty) {
      for (const bad of BAD_SEQUENCES) if (text.includes(bad)) complainOf(`must not contain '${bad}'`);
      for (const bad of BAD_ENDS) if (text.endsWith(bad)) complainOf(`cannot end with '${bad}'`);
    }
  }
  return [...issues, ...validateBackend(objectAt(one, 'backend') ?? {}, path.child('backend'))];
}

function validateBackend(backend: JsonObject, path: FieldPath): FieldIssue[] {
  const [resource, service] = [objectAt(backend, 'resource'), objectAt(backend, 'service')];
  if (resource !== undefined && service !== undefined)
    return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateReference(resource, path.child('resource'));
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')];
  const name = textAt(service, 'name');
  const namePath = path.child('service', 'name');
  const issues = name === '' ? [required(namePath, '')] : complain(checkDns1123Label(name), name, namePath);
  const [portName, number] = [textAt(service, 'port', 'name'), numberAt(service, 'port', 'number')];
  const portPath = path.child('service', 'port');
  if (portName !== '' && number !== 0) issues.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (portName !== '') issues.push(...complain(checkPortName(portName), portName, portPath.child('name')));
  else if (number !== 0) issues.push(...complain(checkPortNumber(Number(number)), number, portPath.child('number')));
  else issues.push(required(path, 'port name or number is required'));
  return issues;
}

/** Validates a TypedLocalObjectReference. */
export function validateReference(reference: JsonObject, path: FieldPath): FieldIssue[] {
  const group = fieldAt(reference, 'apiGroup');
  const issues = typeof group === 'string' ? complain(checkDns1123Subdomain(group), group, path.child('apiGroup')) : [];
  for (const field of ['kind', 'name']) {
    const value = textAt(reference, field);
    if (value === '') issues.push(required(path.child(field), ''));
    else issues.push(...complain(checkPathSegmentName(value), value, path.child(field)));
  }
  return issues;
}
