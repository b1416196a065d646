/**
 * One request as the audit log tells it. Invariant: a line is an audit.k8s.io/v1 Event with the fields of the reference
 * in its order; who is shown as `user` is who was authenticated, whoever they act as; bodies are kept only if the
 * policy asks for them, and no header that carries a credential is ever looked at.
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
  /** Of the request's object: what its path does not say. */
  #metadata: JsonObject = {};
  #responseStatus: JsonObject | undefined;

  /** `withhold`: bodies of this request are never kept. */
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

  /** Copied at once, because its owner goes on to change it. */
  set requestObject(object: JsonObject | undefined) {
    if (object === undefined) return;
    const metadata = object['metadata'];
    this.#metadata = isJsonObject(metadata) ? { ...metadata } : {};
    if (this.wantsRequestObject) this.#requestObject = cloneJson(object);
  }

  /** The first value of a key stays. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  omits(stage: AuditStage): boolean {
    return this.#decision.omitStages.has(stage);
  }

  /** What became of the request. `status` is the Status that was sent, if it was one. */
  answered(code: number, status: JsonObject | undefined): void {
    this.#responseStatus = {
      metadata: {},
      ...pick(status, ['status', 'message', 'reason', 'details']),
      code,
    };
  }

  /** The line of a stage, with its end. */
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
    // What has no kind (a version, an OpenAPI document) is no object of the API.
    return isJsonObject(value) && value['kind'] !== undefined ? value : undefined;
  }

  #withoutManagedFields(value: JsonValue): JsonValue {
    return this.#decision.omitManagedFields && isJsonObject(value) ? stripManagedFields(value) : value;
  }
}

/** A Status among JSON bytes: undefined for everything else, without reading it. */
export function statusFromBytes(body: Uint8Array): JsonObject | undefined {
  if (!/^\s*\{\s*"kind":\s*"Status"/.test(decodeUtf8(body.subarray(0, 64)))) return undefined;
  const value = parsed(body);
  return isJsonObject(value) ? value : undefined;
}

function parsed(bytes: Uint8Array): JsonValue | undefined {
  const read = readJson(bytes);
  return read.ok ? read.value : undefined;
}

/** Of an object, of the items of a list, and of the rows of a Table; the rest is shared with the original. */
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
