/**
 * Parses the element `kms` of an EncryptionConfiguration. Rules and messages are those of k8s.io/apiserver
 * (apis/apiserver/validation/validation_encryption.go).
 */
import { quote } from '../apimachinery/go-format.ts';
import { durationFromJson, formatDuration } from '../apimachinery/scalars/duration.ts';
import { formatIssue, invalid, required } from '../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, formatPath } from '../apimachinery/validation/field-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import type { KmsSettings } from '../storage/encryption/provider.ts';

const FIELDS = ['apiVersion', 'name', 'cachesize', 'endpoint', 'timeout'];
const DEFAULT_TIMEOUT = '3s';
const NANOSECONDS_PER_MS = 1_000_000;

/** The first part is kube-apiserver's message for a KMS v1 provider whose feature gate is off, which is the default. */
const NO_V1 =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead: set apiVersion: v2. Keelson has no KMSv1, and --feature-gates=KMSv1=true does not add it';

export type ReadKms =
  | { readonly settings: KmsSettings; readonly problems: readonly [] }
  | { readonly settings: undefined; readonly problems: readonly string[] };

/** Returns the settings, or every problem with its path. `names` are the names of the other KMS providers. */
export function readKmsSettings(value: JsonValue | undefined, path: FieldPath, names: ReadonlySet<string>): ReadKms {
  if (!isJsonObject(value)) return { settings: undefined, problems: [`${formatPath(path)}: must be an object`] };
  const shape = shapeProblems(value, path);
  if (shape.length > 0) return { settings: undefined, problems: shape };
  const version = text(value, 'apiVersion') || 'v1';
  const name = text(value, 'name');
  const problems = nameProblems(name, version, childPath(path, 'name'), names);
  const timeout = durationFromJson(value['timeout'] ?? DEFAULT_TIMEOUT);
  if (!timeout.ok) problems.push(`${formatPath(childPath(path, 'timeout'))}: ${timeout.message}`);
  else if (timeout.value <= 0n)
    problems.push(
      formatIssue(
        invalid(childPath(path, 'timeout'), formatDuration(timeout.value), 'timeout should be a positive value'),
      ),
    );
  const endpoint = text(value, 'endpoint');
  const socketPath = socketPathOf(endpoint);
  if (!socketPath.ok) problems.push(formatIssue(invalid(childPath(path, 'endpoint'), endpoint, socketPath.message)));
  const cacheSize = value['cachesize'] ?? undefined;
  if (version !== 'v1' && cacheSize !== undefined)
    problems.push(formatIssue(invalid(childPath(path, 'cachesize'), cacheSize, 'cachesize is not supported in v2')));
  if (version !== 'v1' && version !== 'v2')
    problems.push(
      formatIssue(
        invalid(
          childPath(path, 'apiVersion'),
          version,
          `unsupported apiVersion ${version} for KMS provider, only v1 and v2 are supported`,
        ),
      ),
    );
  if (version === 'v1' && problems.length === 0) problems.push(`${formatPath(path)}: ${NO_V1}`);
  if (problems.length > 0 || !timeout.ok || !socketPath.ok) return { settings: undefined, problems };
  const timeoutMs = Math.max(1, Number(timeout.value) / NANOSECONDS_PER_MS);
  return { settings: { name, socketPath: socketPath.path, timeoutMs }, problems: [] };
}

/** Reports unknown fields and fields of a wrong type. */
function shapeProblems(value: JsonObject, path: FieldPath): string[] {
  return Object.entries(value).flatMap(([field, content]) => {
    const at = formatPath(childPath(path, field));
    if (!FIELDS.includes(field)) return [`strict decoding error: unknown field ${quote(at)}`];
    if (content === null) return [];
    const type = field === 'cachesize' ? 'number' : 'string';
    return typeof content === type ? [] : [`${at}: must be a ${type}`];
  });
}

function text(value: JsonObject, field: string): string {
  const content = value[field];
  return typeof content === 'string' ? content : '';
}

function nameProblems(name: string, version: string, path: FieldPath, names: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  if (name === '') problems.push(formatIssue(required(path, 'name is a mandatory field for a provider')));
  if (version !== 'v1' && name.includes(':'))
    problems.push(formatIssue(invalid(path, name, `invalid KMS provider name ${name}, must not contain ':'`)));
  if (names.has(name))
    problems.push(formatIssue(invalid(path, name, `duplicate KMS provider name ${name}, names must be unique`)));
  return problems;
}

type SocketPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly message: string };

/** Parses an endpoint such as `unix:///run/kms.sock`; `unix:///@kms` is a socket in the abstract namespace. */
function socketPathOf(endpoint: string): SocketPath {
  if (endpoint === '') return { ok: false, message: 'endpoint is a mandatory field for a kms' };
  const [, scheme = '', rest = endpoint] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/.exec(endpoint) ?? [];
  if (scheme.toLowerCase() !== 'unix')
    return { ok: false, message: `unsupported scheme ${quote(scheme)} for KMS provider, only unix is supported` };
  const escaped = rest.replace(/^\/\/[^/]*/, '').replace(/[?#].*$/, '');
  const malformed = /%(?![0-9a-f]{2}).{0,2}/i.exec(escaped);
  if (malformed !== null)
    return {
      ok: false,
      message: `invalid endpoint for kms provider, error: parse ${quote(endpoint)}: invalid URL escape ${quote(malformed[0])}`,
    };
  const path = decodeURIComponent(escaped);
  if (!path.startsWith('/') || path === '/')
    return { ok: false, message: 'invalid endpoint for kms provider, error: it has no path of a socket' };
  return { ok: true, path: path.startsWith('/@') ? path.slice(1) : path };
}
