/** Problems that a validating hook reports, and refusals. */
import { StatusError, type StatusReason } from '../apimachinery/status/status.ts';
import { invalid } from '../apimachinery/status/status-catalogue.ts';
import type { FieldIssue, IssueReason } from '../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../apimachinery/validation/field-path.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import type { Kind } from '../kinds/kind.ts';

/** The kind of a problem, as in `details.causes[].reason` of a Status. */
export type ProblemCode = IssueReason;

export interface Problem {
  /** The field: `spec.containers[0].image`, `metadata.labels[app]`. '' for the whole object. */
  readonly field: string;
  /** The problem: `must be an even number`. */
  readonly message: string;
  /** Default FieldValueInvalid. */
  readonly code?: ProblemCode;
  /** The offending value. Default: the value of the field in the object. */
  readonly value?: unknown;
}

/** Returns the Status of a refusal: the code 422, one cause per problem, and the texts of kube-apiserver. */
export function problemStatus(
  kind: Kind<unknown>,
  name: string,
  problems: readonly Problem[],
  object: JsonObject,
): ReturnType<typeof invalid> {
  return invalid(
    kind,
    name,
    problems.map((problem) => issueOf(problem, object)),
  );
}

function issueOf({ field, message, code = 'FieldValueInvalid', value }: Problem, object: JsonObject): FieldIssue {
  return {
    reason: code,
    path: field === '' ? undefined : FieldPath.of(field),
    value: (value as JsonValue | undefined) ?? valueAt(object, field),
    detail: message,
  };
}

/** A name after a dot or at the start, or an index or key in brackets. */
const STEP = /(?:^|\.)([^.[\]]+)|\[([^\]]*)\]/gy;

function valueAt(object: JsonObject, field: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const [, name, subscript = ''] of field.matchAll(STEP)) {
    const step = name ?? subscript;
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isJsonObject(value)) value = getField(value, step);
    else return undefined;
  }
  return value === object ? undefined : value;
}

export interface DenialOptions {
  /** The HTTP code of the answer to the client. Default 403. */
  readonly code?: number;
  /** Default Forbidden. */
  readonly reason?: StatusReason;
}

/**
 * Returns the error that refuses a request: `throw denied('only admins may do that')`. The API server prepends
 * `admission webhook "NAME" denied the request: ` to the message.
 */
export function denied(message: string, { code = 403, reason = 'Forbidden' }: DenialOptions = {}): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}
