/** Validation of the volume sources that pods and PersistentVolumes share. */
import { fieldAt, listAt, numberAt, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label } from '../../../../apimachinery/validation/name-syntax.ts';
import { rangeText } from '../../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { utf8Length } from '../../../../base/utf8.ts';
import { validateNoBacksteps } from './file-paths.ts';
import { MAX_LUN } from './iscsi.ts';

/** Validates a source. `path` is the path of the source. */
export type SourceRule = (source: JsonObject, path: FieldPath) => FieldIssue[];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const HOST_PORT_PAIRS = 'must be a host:port pair or multiple pairs separated by commas';
const MAX_TENANT = 64;
const RESERVED_DOMAINS = ['.kubernetes.io', '.k8s.io'];

/** Reports the fields that are empty, in the order of `names`. */
export function requireTexts(...names: readonly string[]): SourceRule {
  return (source, path) =>
    names.filter((name) => textAt(source, name) === '').map((name) => required(path.child(name), ''));
}

/** A cloud disk with an id, in the field `id`, and a partition. */
export function diskRule(id: string): SourceRule {
  return (source, path) => {
    const partition = numberAt(source, 'partition');
    const issues = requireTexts(id)(source, path);
    if (partition < 0 || partition > 255) issues.push(invalid(path.child('partition'), partition, rangeText(1, 255)));
    return issues;
  };
}

export function validateHostPath(source: JsonObject, path: FieldPath): FieldIssue[] {
  const target = textAt(source, 'path');
  if (target === '') return [required(path.child('path'), '')];
  const issues = validateNoBacksteps(target, path.child('path'));
  const type = fieldAt(source, 'type');
  if (typeof type === 'string' && !HOST_PATH_TYPES.includes(type))
    issues.push(declared(notSupported(path.child('type'), type, HOST_PATH_TYPES)));
  return issues;
}

export function validateNfs(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = requireTexts('server', 'path')(source, path);
  const target = textAt(source, 'path');
  if (!target.startsWith('/')) issues.push(invalid(path.child('path'), target, 'must be an absolute path'));
  return issues;
}

export function validateFlocker(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const name = textAt(source, 'datasetName');
  const hasUuid = textAt(source, 'datasetUUID') !== '';
  if (name === '' && !hasUuid) issues.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && hasUuid)
    issues.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (name.includes('/')) issues.push(invalid(path.child('datasetName'), name, "must not contain '/'"));
  return issues;
}

export function validateQuobyte(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const registry = textAt(source, 'registry');
  if (registry === '') issues.push(required(path.child('registry'), HOST_PORT_PAIRS));
  else if (utf8Length(textAt(source, 'tenant')) > MAX_TENANT)
    issues.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of registry.split(','))
      if (!isHostPort(pair)) issues.push(invalid(path.child('registry'), registry, HOST_PORT_PAIRS));
  return [...issues, ...requireTexts('volume')(source, path)];
}

/** Whether the text is `host:port`. Both may be empty; a host with colons must be in brackets. */
function isHostPort(text: string): boolean {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return false;
  const host = text.slice(0, colon);
  const inner = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host.includes(':') ? '[' : host;
  return !/[[\]]/.test(inner) && !/[[\]]/.test(text.slice(colon));
}

export function validateFibreChannel(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const names = textsAt(source, 'targetWWNs');
  const hasIds = listAt(source, 'wwids').length > 0;
  if (names.length === 0 && !hasIds)
    issues.push(required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both'));
  if (names.length === 0) return issues;
  if (hasIds) {
    const detail = 'targetWWNs and wwids can not be specified simultaneously';
    issues.push(declared(invalid(path.child('targetWWNs'), [...names], detail)));
  }
  const lun = fieldAt(source, 'lun');
  if (typeof lun !== 'number') issues.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > MAX_LUN) issues.push(invalid(path.child('lun'), lun, rangeText(0, MAX_LUN)));
  return issues;
}

/** CephFS and RBD volumes. `names` are the required fields in addition to `monitors`. */
export function cephRule(...names: readonly string[]): SourceRule {
  return (source, path) => [
    ...(listAt(source, 'monitors').length === 0 ? [required(path.child('monitors'), '')] : []),
    ...requireTexts(...names)(source, path),
  ];
}

export function validateFlexVolume(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = requireTexts('driver')(source, path);
  for (const key of Object.keys(objectAt(source, 'options') ?? {})) {
    const [domain = ''] = key.split('/', 1);
    if (RESERVED_DOMAINS.some((reserved) => `.${domain.toLowerCase()}`.endsWith(reserved)))
      issues.push(invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'));
  }
  return issues;
}

export function validateAzureDisk(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = requireTexts('diskName', 'diskURI')(source, path);
  const caching = fieldAt(source, 'cachingMode');
  if (typeof caching === 'string' && !CACHING_MODES.includes(caching))
    issues.push(declared(notSupported(path.child('cachingMode'), caching, CACHING_MODES)));
  const kind = fieldAt(source, 'kind');
  if (typeof kind !== 'string') return issues;
  if (!DISK_KINDS.includes(kind)) issues.push(declared(notSupported(path.child('kind'), kind, DISK_KINDS)));
  const uri = textAt(source, 'diskURI');
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  if (!uri.startsWith(start)) issues.push(notSupported(path.child('diskURI'), uri, [form]));
  return issues;
}

/** `persistent`: the source is that of a PersistentVolume, where the secret's namespace is required. */
export function storageOsRule(persistent: boolean): SourceRule {
  return (source, path) => {
    const issues: FieldIssue[] = [];
    for (const name of ['volumeName', 'volumeNamespace']) {
      const text = textAt(source, name);
      if (text !== '') issues.push(...checkDns1123Label(text).map((one) => invalid(path.child(name), text, one)));
      else if (name === 'volumeName') issues.push(required(path.child(name), ''));
    }
    return [...issues, ...validateSecretRef(source, path, persistent)];
  };
}

export function cinderRule(persistent: boolean): SourceRule {
  return (source, path) => [...requireTexts('volumeID')(source, path), ...validateSecretRef(source, path, persistent)];
}

function validateSecretRef(source: JsonObject, path: FieldPath, withNamespace: boolean): FieldIssue[] {
  const secret = objectAt(source, 'secretRef');
  if (secret === undefined) return [];
  return requireTexts(...(withNamespace ? ['name', 'namespace'] : ['name']))(secret, path.child('secretRef'));
}
