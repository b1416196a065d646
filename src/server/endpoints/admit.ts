/**
 * Admission as the endpoints call it. A record of attributes is made only for operations that some plugin inspects; the
 * objects in it are in the request's version.
 */
import { managedFieldsProblem } from '../../apimachinery/managed-fields/decode-managed-fields.ts';
import { managedFieldsOf, setManagedFields } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { nameOf } from '../../apimachinery/meta/meta.ts';
import type { PatchOptions, WriteOptions } from '../../apimachinery/meta/write-options.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { dropMalformedMetadata } from '../resource/schema/object-metadata-form.ts';
import { AdmissionRecord, type AdmissionSubject, type AdmissionTarget } from './admission-record.ts';
import type { EndpointHost, RequestScope } from './endpoint.ts';

/** The warning of k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/admission.go, without its cause. */
const BROKEN_MANAGED_FIELDS =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests';

/**
 * The admission of one write. The store may try an update several times: each call of `admit` begins a new attempt,
 * and `validate` belongs to the attempt before it.
 */
export class WriteAdmission implements AdmissionTarget {
  readonly host: EndpointHost;
  readonly scope: RequestScope;
  readonly request: ServerRequest;
  #attempt: AdmissionRecord | undefined;
  /** Whether a plugin replaced the object. The replacement may have fields that the type does not have. */
  #isReplaced = false;

  constructor(host: EndpointHost, scope: RequestScope, request: ServerRequest) {
    this.host = host;
    this.scope = scope;
    this.request = request;
  }

  /**
   * Runs the mutating half. Returns the object after all plugins: the same one, changed in place, or its replacement.
   */
  admit(subject: AdmissionSubject, object: JsonObject, oldObject: JsonObject | undefined): MaybePromise<JsonObject> {
    this.#attempt = undefined;
    this.#isReplaced = false;
    const { admission } = this.host;
    if (!admission.handles(subject.operation)) return object;
    const attempt = new AdmissionRecord(this, subject, object, oldObject);
    this.#attempt = attempt;
    const entries = managedFieldsOf(object);
    return andThen(admission.admit(attempt), () => {
      const admitted = attempt.object ?? object;
      this.#isReplaced = admitted !== object;
      if (this.#isReplaced && this.scope.bodyVersion.unstructured === true) dropMalformedMetadata(admitted);
      if (managedFieldsOf(admitted) !== entries) this.#restoreManagedFields(admitted, entries);
      return admitted;
    });
  }

  /** Restores managedFields and warns the client if a plugin left them in a form that cannot be decoded. */
  #restoreManagedFields(admitted: JsonObject, before: JsonValue | undefined): void {
    const problem = managedFieldsProblem(managedFieldsOf(admitted));
    if (problem === undefined) return;
    setManagedFields(admitted, Array.isArray(before) ? before : undefined);
    this.request.warn(`${BROKEN_MANAGED_FIELDS}: ${problem}`);
  }

  /** Runs the validating half on the object that will be stored. A generated name is known by now. */
  validate(subject: AdmissionSubject, object: JsonObject, oldObject: JsonObject | undefined): MaybePromise<void> {
    const { admission } = this.host;
    if (!admission.handles(subject.operation)) return;
    let attempt = this.#attempt;
    // A store that writes without calling `admit` first, or that creates where an update was admitted, begins anew.
    if (attempt?.operation !== subject.operation) attempt = new AdmissionRecord(this, subject, object, oldObject);
    attempt.object = object;
    attempt.oldObject = oldObject;
    if (attempt.name === '') attempt.name = nameOf(object);
    const validated = admission.validate(attempt);
    // Validating plugins see the undeclared fields of a replacement. They are pruned afterwards and not stored.
    return this.#isReplaced ? andThen(validated, () => this.scope.bodyVersion.prune?.(object)) : validated;
  }
}

/** Runs both halves for a deletion or a connection, which change no object. */
export function admitWithoutObject(
  target: AdmissionTarget,
  subject: AdmissionSubject,
  oldObject: JsonObject | undefined,
): MaybePromise<void> {
  const { admission } = target.host;
  if (!admission.handles(subject.operation)) return;
  const attributes = new AdmissionRecord(target, subject, subject.connectOptions, oldObject);
  return andThen(admission.admit(attributes), () => admission.validate(attributes));
}

/** Returns CreateOptions or UpdateOptions as an object. */
export function writeOptionsObject(
  kind: 'CreateOptions' | 'UpdateOptions',
  options: WriteOptions | PatchOptions,
): JsonObject {
  const made: JsonObject = { kind, apiVersion: 'meta.k8s.io/v1' };
  if (options.dryRun.length > 0) made['dryRun'] = [...options.dryRun];
  if (options.fieldManager !== '') made['fieldManager'] = options.fieldManager;
  if (options.fieldValidation !== '') made['fieldValidation'] = options.fieldValidation;
  return made;
}

export function deleteOptionsObject(options: DeleteOptions): JsonObject {
  const made: JsonObject = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
  if (options.gracePeriodSeconds !== undefined) made['gracePeriodSeconds'] = options.gracePeriodSeconds;
  if (options.preconditions !== undefined) {
    const preconditions: JsonObject = {};
    if (options.preconditions.uid !== undefined) preconditions['uid'] = options.preconditions.uid;
    if (options.preconditions.resourceVersion !== undefined)
      preconditions['resourceVersion'] = options.preconditions.resourceVersion;
    made['preconditions'] = preconditions;
  }
  if (options.orphanDependents !== undefined) made['orphanDependents'] = options.orphanDependents;
  if (options.propagationPolicy !== undefined) made['propagationPolicy'] = options.propagationPolicy;
  if (options.dryRun.length > 0) made['dryRun'] = [...options.dryRun];
  return made;
}
