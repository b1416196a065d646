/**
 * The catalogue of Statuses: one constructor for each Status that a server answers with. Code, reason, message and
 * details are the reference's. Invariant: only STATUS_CATALOGUE joins codes and reasons, and docs/reference/errors.md
 * lists the same entries; a test compares them.
 */

import { quote } from '../go-format.ts';
import { formatGroupKind, formatGroupResource, type GroupKind, type GroupResource } from '../meta/gvk.ts';
import { type FieldIssue, formatIssueBody, formatIssues } from '../validation/field-issue.ts';
import { formatPath } from '../validation/field-path.ts';
import { interpretHttpCode } from './http-code-meaning.ts';
import type { KnownStatusReason, Status, StatusCause, StatusDetails } from './status.ts';

export interface CatalogueEntry {
  /** 0 if the received response decides (`genericServerResponse`) or the HTTP code is used (`success`). */
  readonly code: number;
  readonly reason: KnownStatusReason | undefined;
  /** One sentence: when the Status is answered. */
  readonly when: string;
}

/** The names of the constructors below. */
export type CatalogueName =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'alreadyExists'
  | 'generateNameConflict'
  | 'conflict'
  | 'applyConflict'
  | 'expired'
  | 'invalid'
  | 'serverTimeout'
  | 'internalError'
  | 'timeout'
  | 'resourceVersionTooLarge'
  | 'tooManyRequests'
  | 'badRequest'
  | 'methodNotAllowed'
  | 'notAcceptable'
  | 'requestEntityTooLarge'
  | 'unsupportedMediaType'
  | 'serviceUnavailable'
  | 'unknown'
  | 'genericServerResponse'
  | 'success';

/** Every constructor of this module by its name. */
export const STATUS_CATALOGUE: Readonly<Record<CatalogueName, CatalogueEntry>> = {
  unauthorized: { code: 401, reason: 'Unauthorized', when: 'Credentials are missing or not accepted.' },
  forbidden: { code: 403, reason: 'Forbidden', when: 'Authorization or admission refuses the request.' },
  notFound: { code: 404, reason: 'NotFound', when: 'No object has the name, or no such resource is served.' },
  alreadyExists: { code: 409, reason: 'AlreadyExists', when: 'A create meets an object of the same name.' },
  generateNameConflict: {
    code: 409,
    reason: 'AlreadyExists',
    when: 'Every name generated for a create was taken; another try may find a free one.',
  },
  conflict: {
    code: 409,
    reason: 'Conflict',
    when: 'The object changed since it was read, or a precondition does not hold.',
  },
  applyConflict: { code: 409, reason: 'Conflict', when: 'An apply sets fields that other managers own.' },
  expired: { code: 410, reason: 'Expired', when: 'A revision or continue token is older than the history kept.' },
  invalid: { code: 422, reason: 'Invalid', when: 'Validation found issues; each one is a cause.' },
  serverTimeout: {
    code: 500,
    reason: 'ServerTimeout',
    when: 'A transient failure, such as an unreachable store; retry.',
  },
  internalError: { code: 500, reason: 'InternalError', when: 'An unexpected failure; the outcome is unknown.' },
  timeout: { code: 504, reason: 'Timeout', when: 'The request did not finish in time; it may still take effect.' },
  resourceVersionTooLarge: {
    code: 504,
    reason: 'Timeout',
    when: 'A read asks for a revision the server has not reached.',
  },
  tooManyRequests: {
    code: 429,
    reason: 'TooManyRequests',
    when: 'The caller must wait, such as for a disruption budget.',
  },
  badRequest: { code: 400, reason: 'BadRequest', when: 'The request is malformed; a retry does not help.' },
  methodNotAllowed: { code: 405, reason: 'MethodNotAllowed', when: 'The resource does not have the verb.' },
  notAcceptable: { code: 406, reason: 'NotAcceptable', when: 'No media type of the Accept header can be produced.' },
  requestEntityTooLarge: { code: 413, reason: 'RequestEntityTooLarge', when: 'The body exceeds the limit.' },
  unsupportedMediaType: {
    code: 415,
    reason: 'UnsupportedMediaType',
    when: 'The media type of the body is not decoded.',
  },
  serviceUnavailable: { code: 503, reason: 'ServiceUnavailable', when: 'The service behind the request is not ready.' },
  unknown: { code: 500, reason: undefined, when: 'A failure without a Status of its own reached the answer.' },
  genericServerResponse: {
    code: 0,
    reason: undefined,
    when: 'A client received an answer that is not a Status; the HTTP code decides the reason.',
  },
  success: { code: 0, reason: undefined, when: 'A delete finished and no object is returned.' },
};

/** `reason` is the message; '' gives `not authorized`. */
export function unauthorized(reason: string): Status {
  return failure('unauthorized', reason === '' ? 'not authorized' : reason);
}

/** `because` ends the message. An empty resource and an empty name are left out of it. */
export function forbidden(resource: GroupResource, name: string, because: string): Status {
  const subject = formatGroupResource(resource);
  const message =
    resource.group === '' && resource.resource === ''
      ? `forbidden: ${because}`
      : name === ''
        ? `${subject} is forbidden: ${because}`
        : `${subject} ${quote(name)} is forbidden: ${because}`;
  return failure('forbidden', message, about(resource, name));
}

export function notFound(resource: GroupResource, name: string): Status {
  return failure('notFound', `${formatGroupResource(resource)} ${quote(name)} not found`, about(resource, name));
}

export function alreadyExists(resource: GroupResource, name: string): Status {
  const message = `${formatGroupResource(resource)} ${quote(name)} already exists`;
  return failure('alreadyExists', message, about(resource, name));
}

export function generateNameConflict(resource: GroupResource, name: string, retryAfterSeconds: number): Status {
  const message = `${formatGroupResource(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failure('generateNameConflict', message, about(resource, name, { retryAfterSeconds }));
}

/** The message of `conflict` for a write that was based on an older revision. */
export const OPTIMISTIC_LOCK_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** `because` ends the message. Default: that of an older revision. */
export function conflict(resource: GroupResource, name: string, because: string = OPTIMISTIC_LOCK_MESSAGE): Status {
  const message = `Operation cannot be fulfilled on ${formatGroupResource(resource)} ${quote(name)}: ${because}`;
  return failure('conflict', message, about(resource, name));
}

/** The causes have the type FieldManagerConflict. Apply creates them and the message. */
export function applyConflict(causes: readonly StatusCause[], message: string): Status {
  return failure('applyConflict', message, bareDetails({ causes }));
}

/** `continueToken` goes into the metadata. It lets a client continue an expired list inconsistently. */
export function expired(message: string, options: { readonly continueToken?: string } = {}): Status {
  const status = failure('expired', message);
  return options.continueToken === undefined ? status : { ...status, metadata: { continue: options.continueToken } };
}

/**
 * The most issues in one Status. The reference reports all of them, and a body of 3 MB could cause a response of 100
 * MB.
 */
const MAX_ISSUES = 1_000;
/** The most characters of all issues in one Status: each issue may print a list of the whole body. */
const MAX_ISSUE_CHARACTERS = 1 << 20;

/** Each issue becomes a cause. The message contains a repeated text once. */
export function invalid(kind: GroupKind, name: string, issues: readonly FieldIssue[]): Status {
  const subject = `${formatGroupKind(kind)} ${quote(name)} is invalid`;
  const causes: StatusCause[] = [];
  for (let i = 0, characters = 0; i < issues.length && i < MAX_ISSUES && characters < MAX_ISSUE_CHARACTERS; i++) {
    const issue = issues[i] as FieldIssue;
    const body = formatIssueBody(issue);
    causes.push(cause(issue.reason, body, formatPath(issue.path)));
    characters += body.length;
  }
  const told = issues.slice(0, causes.length);
  const more = issues.length > told.length ? ` (and ${issues.length - told.length} more)` : '';
  return failure(
    'invalid',
    issues.length === 0 ? subject : `${subject}: ${formatIssues(told)}${more}`,
    details(name, kind.group, kind.kind, { causes }),
  );
}

/** `operation` (`list`, `get`, ...) is the name in the details. */
export function serverTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): Status {
  const message = `The ${operation} operation against ${formatGroupResource(resource)} could not be completed at this time, please try again.`;
  return failure('serverTimeout', message, about(resource, operation, { retryAfterSeconds }));
}

/** `because` is the text of the failure and the only cause. */
export function internalError(because: string): Status {
  return failure(
    'internalError',
    `Internal error occurred: ${because}`,
    bareDetails({ causes: [cause(undefined, because, undefined)] }),
  );
}

export function timeout(message: string, retryAfterSeconds: number): Status {
  return failure('timeout', `Timeout: ${message}`, bareDetails({ retryAfterSeconds }));
}

export function resourceVersionTooLarge(
  minimum: number | bigint,
  current: number | bigint,
  retryAfterSeconds: number,
): Status {
  const causes = [cause('ResourceVersionTooLarge', 'Too large resource version', undefined)];
  const message = `Timeout: Too large resource version: ${minimum}, current: ${current}`;
  return failure('resourceVersionTooLarge', message, bareDetails({ causes, retryAfterSeconds }));
}

/** Without a time there are no details. */
export function tooManyRequests(message: string, retryAfterSeconds?: number): Status {
  return failure(
    'tooManyRequests',
    message,
    retryAfterSeconds === undefined ? undefined : bareDetails({ retryAfterSeconds }),
  );
}

export function badRequest(reason: string): Status {
  return failure('badRequest', reason);
}

export function methodNotAllowed(resource: GroupResource, action: string): Status {
  const message = `${action} is not supported on resources of kind ${quote(formatGroupResource(resource))}`;
  return failure('methodNotAllowed', message, about(resource, ''));
}

export function notAcceptable(accepted: readonly string[]): Status {
  return failure('notAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

export function requestEntityTooLarge(message: string): Status {
  return failure('requestEntityTooLarge', `Request entity too large: ${message}`);
}

export function unsupportedMediaType(accepted: readonly string[]): Status {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure('unsupportedMediaType', message);
}

export function serviceUnavailable(reason: string): Status {
  return failure('serviceUnavailable', reason);
}

/** The Status of an error that has no other: no reason, the text of the failure as the message. */
export function unknown(message: string): Status {
  return failure('unknown', message);
}

export interface GenericResponse {
  readonly code: number;
  /** The HTTP method. */
  readonly verb: string;
  /** Default: none, and the message does not name the request. */
  readonly resource?: GroupResource;
  readonly name?: string;
  /** The body of the response that was not a Status. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** Whether to add a cause UnexpectedServerResponse with the server's message. */
  readonly unexpected?: boolean;
}

/** The Status that a client creates for a response that is not a Status. */
export function genericServerResponse(response: GenericResponse): Status {
  const { code, verb, name = '', serverMessage = '' } = response;
  const resource = response.resource ?? { group: '', resource: '' };
  const { reason, text } = interpretHttpCode(code, verb, serverMessage);
  const subject = formatGroupResource(resource);
  const asked = resource.group === '' && resource.resource === '' ? '' : `${verb.toLowerCase()} ${subject}`;
  const message = asked === '' ? text : `${text} (${name === '' ? asked : `${asked} ${name}`})`;
  const causes =
    response.unexpected === true ? [cause('UnexpectedServerResponse', serverMessage, undefined)] : undefined;
  const retryAfterSeconds = response.retryAfterSeconds ?? 0;
  return status('Failure', message, reason, about(resource, name, { causes, retryAfterSeconds }), code);
}

/** The Status of a finished delete. The kind in the details is the resource. It has no code; the HTTP code is used. */
export function success(resource: GroupResource, name: string, uid: string): Status {
  return status('Success', '', undefined, about(resource, name, { uid }), 0);
}

function failure(name: CatalogueName, message: string, detail?: StatusDetails): Status {
  const entry = STATUS_CATALOGUE[name];
  return status('Failure', message, entry.reason, detail, entry.code);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Keys are set in the reference's order and omitted where its encoder omits empty ones. */
function status(
  outcome: 'Success' | 'Failure',
  message: string,
  reason: KnownStatusReason | undefined,
  detail: StatusDetails | undefined,
  code: number,
): Status {
  const made: Mutable<Status> = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: outcome };
  if (message !== '') made.message = message;
  if (reason !== undefined) made.reason = reason;
  if (detail !== undefined) made.details = detail;
  if (code !== 0) made.code = code;
  return made;
}

interface DetailParts {
  readonly uid?: string;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number;
}

const NO_PARTS: DetailParts = {};

function about(resource: GroupResource, name: string, more: DetailParts = NO_PARTS): StatusDetails {
  return details(name, resource.group, resource.resource, more);
}

function bareDetails(parts: DetailParts): StatusDetails {
  return details('', '', '', parts);
}

function details(name: string, group: string, kind: string, parts: DetailParts): StatusDetails {
  const made: Mutable<StatusDetails> = {};
  if (name !== '') made.name = name;
  if (group !== '') made.group = group;
  if (kind !== '') made.kind = kind;
  if (parts.uid !== undefined && parts.uid !== '') made.uid = parts.uid;
  if (parts.causes !== undefined && parts.causes.length > 0) made.causes = parts.causes;
  if (parts.retryAfterSeconds !== undefined && parts.retryAfterSeconds !== 0)
    made.retryAfterSeconds = parts.retryAfterSeconds;
  return made;
}

function cause(reason: StatusCause['reason'], message: string, field: string | undefined): StatusCause {
  const made: Mutable<StatusCause> = {};
  if (reason !== undefined) made.reason = reason;
  if (message !== '') made.message = message;
  if (field !== undefined) made.field = field;
  return made;
}
