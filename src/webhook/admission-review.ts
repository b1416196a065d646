/**
 * The answer to an AdmissionReview, v1 or v1beta1. Invariant: the answer has the version and the uid of the review. A
 * review that cannot be read, and a hook that fails, are Statuses with an HTTP code of failure, which the API server
 * treats as a failed call.
 */

import { formatGvk, type GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import { flagAt, objectAt, textAt, textsAt } from '../apimachinery/meta/object-fields.ts';
import { diffJson } from '../apimachinery/patch/json-patch-diff.ts';
import { type Status, StatusError, statusOf } from '../apimachinery/status/status.ts';
import { badRequest } from '../apimachinery/status/status-catalogue.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { BugError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { writeJson } from '../base/json-write.ts';
import { deepFreeze } from '../client/deep-freeze.ts';
import type { AdmissionContext, AdmissionHook, Operation, RequestUser } from './hooks.ts';
import { problemStatus } from './problem.ts';

const GROUP = 'admission.k8s.io';
const VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const OPERATIONS: readonly string[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] satisfies readonly Operation[];

/** Makes the signal of a review when a hook first reads it. */
export type SignalSource = () => AbortSignalLike;

/**
 * Runs the hook on a review. Returns the review to answer with. Rejects with StatusError for a review that this hook
 * cannot answer, and with the error of a hook that failed.
 */
export async function answerAdmission(
  hook: AdmissionHook,
  review: JsonObject,
  signal: SignalSource,
): Promise<JsonObject> {
  const request = readRequest(review);
  const context = new ReviewContext(hook, request, signal);
  const response = await runHook(hook, context).catch((caught: unknown) => {
    const status = statusOf(caught);
    if (status === undefined) throw caught;
    return refusal(status);
  });
  return {
    kind: 'AdmissionReview',
    apiVersion: textAt(review, 'apiVersion'),
    response: { uid: context.uid, ...response, ...context.remarks() },
  };
}

async function runHook(hook: AdmissionHook, context: ReviewContext): Promise<JsonObject> {
  if (hook.type === 'validate') {
    const problems = (await hook.run(context)) ?? [];
    if (problems.length === 0) return { allowed: true };
    return refusal(problemStatus(hook.kind, context.name, problems, context.object));
  }
  const changed = await hook.run(context);
  if (changed === undefined || changed === context.object) return { allowed: true };
  const patch = diffJson(context.object, plainObject(changed));
  if (patch.length === 0) return { allowed: true };
  const bytes = encodeUtf8(writeJson(patch as unknown as JsonValue));
  return { allowed: true, patchType: 'JSONPatch', patch: encodeBase64(bytes) };
}

function refusal(status: Status): JsonObject {
  return { allowed: false, status: status as unknown as JsonValue };
}

/** Returns the object as JSON. Fields that are undefined are left out. */
function plainObject(changed: unknown): JsonObject {
  const read = readJson(writeJson(changed as JsonValue));
  if (read.ok && isJsonObject(read.value)) return read.value;
  throw new BugError('a mutating hook must return the changed object, or undefined');
}

/** Throws StatusError, a 400, for anything but a request to review. */
function readRequest(review: JsonObject): JsonObject {
  const apiVersion = textAt(review, 'apiVersion');
  if (textAt(review, 'kind') !== 'AdmissionReview' || !VERSIONS.includes(apiVersion))
    throw refuse(`expected an AdmissionReview of ${VERSIONS.join(' or ')}, got ${kindText(review)}`);
  const request = objectAt(review, 'request');
  if (request === undefined) throw refuse('the AdmissionReview has no request');
  if (textAt(request, 'uid') === '') throw refuse('the request of the AdmissionReview has no uid');
  if (!OPERATIONS.includes(textAt(request, 'operation')))
    throw refuse(`the operation ${JSON.stringify(textAt(request, 'operation'))} is not known`);
  return request;
}

export function kindText(object: JsonObject): string {
  return `${textAt(object, 'apiVersion') || 'no apiVersion'}, Kind=${textAt(object, 'kind')}`;
}

function refuse(message: string): StatusError {
  return new StatusError(badRequest(message));
}

class ReviewContext implements AdmissionContext<unknown> {
  readonly object: JsonObject;
  readonly oldObject: JsonObject | undefined;
  readonly operation: Operation;
  readonly name: string;
  readonly namespace: string;
  readonly subresource: string;
  readonly dryRun: boolean;
  readonly user: RequestUser;
  readonly uid: string;
  readonly options: JsonObject | undefined;
  readonly warn: (text: string) => void;
  readonly annotate: (key: string, value: string) => void;
  readonly #signal: SignalSource;
  readonly #warnings: string[] = [];
  readonly #annotations: Record<string, string> = {};

  /** Throws StatusError, a 400, for a review of another kind, or one without an object. */
  constructor(hook: AdmissionHook, request: JsonObject, signal: SignalSource) {
    checkKind(hook, request);
    this.operation = textAt(request, 'operation') as Operation;
    this.oldObject = deepFreeze(objectAt(request, 'oldObject'));
    const object = this.operation === 'DELETE' ? this.oldObject : deepFreeze(objectAt(request, 'object'));
    if (object === undefined) throw refuse(`the AdmissionReview of a ${this.operation} has no object`);
    this.object = object;
    this.name = textAt(request, 'name');
    this.namespace = textAt(request, 'namespace');
    this.subresource = textAt(request, 'subResource');
    this.dryRun = flagAt(request, 'dryRun');
    this.user = userOf(objectAt(request, 'userInfo') ?? {});
    this.uid = textAt(request, 'uid');
    this.options = deepFreeze(objectAt(request, 'options'));
    this.#signal = signal;
    // Hooks take the context apart, so these do not depend on `this`.
    this.warn = (text) => void this.#warnings.push(text);
    this.annotate = (key, value) => {
      this.#annotations[key] = value;
    };
  }

  get signal(): AbortSignalLike {
    return this.#signal();
  }

  /** Returns the warnings and annotations, without empty ones. */
  remarks(): JsonObject {
    return {
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(Object.keys(this.#annotations).length > 0 && { auditAnnotations: this.#annotations }),
    };
  }
}

/** Throws the 400 for a review of another kind. A hook with a rule of its own accepts every kind. */
function checkKind({ kind: { group, version, kind }, options }: AdmissionHook, request: JsonObject): void {
  if (options.rule !== undefined) return;
  const sent: GroupVersionKind = {
    group: textAt(request, 'kind', 'group'),
    version: textAt(request, 'kind', 'version'),
    kind: textAt(request, 'kind', 'kind'),
  };
  const expected = formatGvk({ group, version, kind });
  if (formatGvk(sent) !== expected)
    throw refuse(`this webhook reviews ${expected}, the AdmissionReview is about ${formatGvk(sent)}`);
}

function userOf(info: JsonObject): RequestUser {
  const extra: Record<string, readonly string[]> = {};
  const given = getField(info, 'extra');
  if (isJsonObject(given)) for (const key of Object.keys(given)) extra[key] = textsAt(given, key);
  return { name: textAt(info, 'username'), uid: textAt(info, 'uid'), groups: textsAt(info, 'groups'), extra };
}
