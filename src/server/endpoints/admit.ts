/**
 * Admission as the endpoints call it. Invariant: attributes are made only for operations that somebody handles, with the objects in the request's version.
 */

import type { DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { nameOf } from '../../apimachinery/meta/meta.ts';
import type { PatchOptions, WriteOptions } from '../../apimachinery/meta/write-options.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes, Operation } from '../admission.ts';
import type { ServerRequest } from '../http/request.ts';
import type { EndpointHost, EndpointScope } from './endpoint.ts';

/** What stays the same for all objects of one request. */
export interface AdmissionSubject {
  readonly operation: Operation;
  readonly name: string;
  readonly dryRun: boolean;
  readonly options: JsonObject;
}

function attributesOf(
  scope: EndpointScope,
  request: ServerRequest,
  subject: AdmissionSubject,
  object: JsonObject | undefined,
  oldObject: JsonObject | undefined,
): AdmissionAttributes {
  const { name } = subject;
  // Whoever touches a namespace is in it.
  const namespace = scope.isNamespaces
    ? request.info.namespace || name
    : scope.namespaced
      ? request.info.namespace
      : '';
  return {
    operation: subject.operation,
    kind: scope.kind,
    resource: scope.resource,
    subresource: scope.subresource,
    name,
    namespace,
    user: request.user,
    dryRun: subject.dryRun,
    object,
    oldObject,
    options: subject.options,
    warn: (text) => request.warn(text),
    annotate: (key, value) => request.audit?.annotate(key, value),
  };
}

/** The object after all plugins had their say: the same one, changed in place, or the one that replaced it. */
export function admit(
  host: EndpointHost,
  scope: EndpointScope,
  request: ServerRequest,
  subject: AdmissionSubject,
  object: JsonObject,
  oldObject: JsonObject | undefined,
): MaybePromise<JsonObject> {
  if (!host.admission.handles(subject.operation)) return object;
  const attributes = attributesOf(scope, request, subject, object, oldObject);
  return andThen(host.admission.admit(attributes), () => attributes.object ?? object);
}

/** A name that the server made is known by now. */
export function validateAdmission(
  host: EndpointHost,
  scope: EndpointScope,
  request: ServerRequest,
  subject: AdmissionSubject,
  object: JsonObject | undefined,
  oldObject: JsonObject | undefined,
): MaybePromise<void> {
  if (!host.admission.handles(subject.operation)) return;
  const named = subject.name === '' && object !== undefined ? { ...subject, name: nameOf(object) } : subject;
  return host.admission.validate(attributesOf(scope, request, named, object, oldObject));
}

/** A deletion or a connection changes nothing, so both parts of admission run one after the other. */
export function admitWithoutObject(
  host: EndpointHost,
  scope: EndpointScope,
  request: ServerRequest,
  subject: AdmissionSubject,
  objects: { readonly object?: JsonObject; readonly oldObject?: JsonObject },
): MaybePromise<void> {
  if (!host.admission.handles(subject.operation)) return;
  const { object, oldObject } = objects;
  const attributes = (): AdmissionAttributes => attributesOf(scope, request, subject, object, oldObject);
  return andThen(host.admission.admit(attributes()), () => host.admission.validate(attributes()));
}

/** CreateOptions or UpdateOptions as an object. */
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
