/**
 * The audit event of one request (audit.k8s.io/v1 Event), with the reference's fields in the reference's order.
 *
 * Invariants: `user` is the authenticated user, also under impersonation. Bodies are kept only if the policy asks for
 * them. Headers that carry credentials are never read.
 */
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { formatMicroTime, instantFromMillis } from '../../../apimachinery/scalars/time.ts';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { readJson } from '../../../base/json-read.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { AuditRecord, ServerRequest } from '../../http/server-request.ts';
import { headerText } from '../authentication/header-text.ts';
import type { AuditDecision } from './audit-policy-match.ts';
import type { AuditStage } from './audit-rules.ts';
import { sourceIps } from './source-ips.ts';

const MAX_USER_AGENT = 1024;

export class AuditEvent implements AuditRecord {
  readonly wantsRequestObject: boolean;
  readonly wantsResponseObject: boolean;
  responseObject: Uint8Array | JsonObject | undefined;
  objectName = '';
  impersonationConstraint = '';
  readonly #request: ServerRequest;
  readonly #decision: AuditDecision;
  readonly #user: UserInfo;
  readonly #sourceIps: string[];
  readonly #annotations = new Map<string, string>();
  #requestObject: JsonObject | undefined;
  /** The metadata of the request's object, for the parts of objectRef that the path does not contain. */
  #metadata: JsonObject = {};
  #responseStatus: JsonObject | undefined;

  /** With `withhold`, the bodies of this request are never kept. */
  constructor(request: ServerRequest, decision: AuditDecision, withhold: boolean) {
    this.#request = request;
    this.#decision = decision;
    this.#user = request.user;
    this.#sourceIps = sourceIps(request.incoming);
    this.wantsResponseObject = decision.level === 'RequestResponse' && !withhold;
    this.wantsRequestObject = (decision.level === 'Request' || decision.level === 'RequestResponse') && !withhold;
    for (const [key, value] of Object.entries(request.authenticationAnnotations ?? {})) this.annotate(key, value);
  }

  get requestObject(): JsonObject | undefined {
    return this.#requestObject;
  }

  /** Stores a copy, because the endpoint changes the object afterwards. */
  set requestObject(object: JsonObject | undefined) {
    if (object === undefined) return;
    const metadata = object['metadata'];
    this.#metadata = isJsonObject(metadata) ? { ...metadata } : {};
    if (this.wantsRequestObject) this.#requestObject = cloneJson(object);
  }

  /** Adds an annotation. An earlier value of the key is kept. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  omits(stage: AuditStage): boolean {
    return this.#decision.omitStages.has(stage);
  }

  /** Records the answer. `status` is the Status in its body, if it has one. */
  answered(code: number, status: JsonObject | undefined): void {
    this.#responseStatus = {
      metadata: {},
      ...pick(status, ['status', 'message', 'reason', 'details']),
      code,
    };
  }

  /** Returns the JSON line of a stage, with its newline. */
  line(stage: AuditStage, nowMs: number): Uint8Array {
    const request = this.#request;
    const { receivedAt, info, incoming } = request;
    const event: JsonObject = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#decision.level,
      auditID: request.auditId,
      stage,
      requestURI: incoming.target,
      verb: info.verb,
      user: userJson(this.#user),
    };
    if (request.impersonator !== undefined) event['impersonatedUser'] = userJson(request.user);
    if (this.impersonationConstraint !== '')
      event['authenticationMetadata'] = { impersonationConstraint: this.impersonationConstraint };
    if (this.#sourceIps.length > 0) event['sourceIPs'] = this.#sourceIps;
    const userAgent = headerText(incoming.header('user-agent') ?? '');
    if (userAgent !== '') event['userAgent'] = shortened(userAgent);
    const reference = this.#objectReference();
    if (reference !== undefined) event['objectRef'] = reference;
    if (stage !== 'RequestReceived' && this.#responseStatus !== undefined)
      event['responseStatus'] = this.#responseStatus;
    if (this.#requestObject !== undefined) event['requestObject'] = this.#withoutManagedFields(this.#requestObject);
    const response = stage === 'RequestReceived' ? undefined : this.#responseJson();
    if (response !== undefined) event['responseObject'] = this.#withoutManagedFields(response);
    event['requestReceivedTimestamp'] = timestamp(receivedAt);
    event['stageTimestamp'] = timestamp(stage === 'RequestReceived' ? receivedAt : nowMs);
    if (this.#annotations.size > 0)
      event['annotations'] = Object.fromEntries([...this.#annotations].sort(([a], [b]) => compareUtf8(a, b)));
    return encodeUtf8(`${writeJson(event)}\n`);
  }

  #objectReference(): JsonObject | undefined {
    const { info } = this.#request;
    if (!info.isResourceRequest) return undefined;
    const fromBody = (key: string): string => textOf(this.#metadata[key]);
    const fields: Record<string, string> = {
      resource: info.resource,
      namespace: info.namespace || fromBody('namespace'),
      name: info.name || fromBody('name') || this.objectName,
      uid: fromBody('uid'),
      apiGroup: info.apiGroup,
      apiVersion: info.apiVersion,
      resourceVersion: fromBody('resourceVersion'),
      subresource: info.subresource,
    };
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  }

  #responseJson(): JsonValue | undefined {
    const object = this.responseObject;
    if (!this.wantsResponseObject || object === undefined) return undefined;
    const value = object instanceof Uint8Array ? parsed(object) : object;
    // A body without a kind, such as that of `/version`, is not an API object.
    return isJsonObject(value) && value['kind'] !== undefined ? value : undefined;
  }

  #withoutManagedFields(value: JsonValue): JsonValue {
    return this.#decision.omitManagedFields && isJsonObject(value) ? stripManagedFields(value) : value;
  }
}

/** Returns the Status in a JSON body. Any other body is not parsed and returns undefined. */
export function statusFromBytes(body: Uint8Array): JsonObject | undefined {
  if (!/^\s*\{\s*"kind":\s*"Status"/.test(decodeUtf8(body.subarray(0, 64)))) return undefined;
  const value = parsed(body);
  return isJsonObject(value) ? value : undefined;
}

function parsed(bytes: Uint8Array): JsonValue | undefined {
  const read = readJson(bytes);
  return read.ok ? read.value : undefined;
}

/**
 * Removes managedFields from an object, from the items of a list and from the rows of a Table. Unchanged parts are
 * shared with the original.
 */
function stripManagedFields(object: JsonObject): JsonObject {
  const stripped = { ...object };
  const metadata = stripped['metadata'];
  if (isJsonObject(metadata) && 'managedFields' in metadata) {
    const { managedFields: _, ...rest } = metadata;
    stripped['metadata'] = rest;
  }
  const { items, rows } = stripped;
  if (Array.isArray(items))
    stripped['items'] = items.map((item) => (isJsonObject(item) ? stripManagedFields(item) : item));
  if (Array.isArray(rows)) {
    stripped['rows'] = rows.map((row) => {
      const inner = isJsonObject(row) ? row['object'] : undefined;
      return isJsonObject(row) && isJsonObject(inner) ? { ...row, object: stripManagedFields(inner) } : row;
    });
  }
  return stripped;
}

function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  const user: JsonObject = {};
  if (name !== '') user['username'] = name;
  if (uid !== '') user['uid'] = uid;
  if (groups.length > 0) user['groups'] = [...groups];
  const keys = Object.keys(extra).sort(compareUtf8);
  if (keys.length > 0) user['extra'] = Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]]));
  return user;
}

function pick(object: JsonObject | undefined, keys: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const key of keys) {
    const value = object?.[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}

function shortened(userAgent: string): string {
  return userAgent.length > MAX_USER_AGENT ? `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : userAgent;
}

function timestamp(millis: number): string {
  return formatMicroTime(instantFromMillis(millis));
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
