/** The variables of expressions for one request, in the version in which a webhook or policy sees it. */
import { metadataOf } from '../../apimachinery/meta/meta.ts';
import { serviceAccountUser } from '../../apimachinery/meta/service-account-user.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise } from '../../base/maybe-promise.ts';
import {
  type AuthorizationCheck,
  type AuthorizationDecision,
  CelAuthorizer,
  CelResourceCheck,
  type CheckedUser,
} from '../../cel/libraries/authorizer.ts';
import { DeferredAuthorizer } from '../../cel/libraries/deferred-authorizer.ts';
import { valueFromJson } from '../../cel/runtime/native-values.ts';
import type { Value } from '../../cel/values.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer, RequestAttributes } from '../../server/authorizer.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { admissionRequestOf } from '../admission-request.ts';
import type { ExpressionScope } from '../expression-compiler.ts';
import type { HookView } from './match-index.ts';

/** The objects in the version that the hook sees; undefined for none. */
export interface ViewedObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

const ABSENT: Value = null;

/** Makes each value at its first use: most expressions read `object` alone. */
export class ExpressionInput {
  /** Evaluates programs; it keeps the decisions of the authorizer for the request. */
  readonly authorizer: DeferredAuthorizer;
  readonly #attributes: AdmissionAttributes;
  readonly #view: HookView;
  readonly #objects: ViewedObjects;
  readonly #namespaceObject: JsonObject | undefined;
  #common: readonly Value[] | undefined;
  #checks: readonly Value[] | undefined;

  constructor(
    attributes: AdmissionAttributes,
    view: HookView,
    objects: ViewedObjects,
    parts: { readonly authorizer: DeferredAuthorizer; readonly namespaceObject: JsonObject | undefined },
  ) {
    this.#attributes = attributes;
    this.#view = view;
    this.#objects = objects;
    this.#namespaceObject = parts.namespaceObject;
    this.authorizer = parts.authorizer;
  }

  /** Returns the input of match conditions: they see no namespace, and the resource of the request. */
  forConditions(): ExpressionInput {
    const { resource } = this.#attributes;
    if (this.#namespaceObject === undefined && this.#view.resource === resource) return this;
    const parts = { authorizer: this.authorizer, namespaceObject: undefined };
    return new ExpressionInput(this.#attributes, { ...this.#view, resource }, this.#objects, parts);
  }

  /** Returns the values in the order in which ExpressionCompiler declares the variables. */
  variables(scope: ExpressionScope, params?: Value, composed?: Value): readonly (Value | undefined)[] {
    const values: (Value | undefined)[] = [...this.#commonValues()];
    if (scope.params) values.push(params ?? ABSENT);
    if (scope.authorizer) values.push(...this.#checkValues());
    if (composed !== undefined) values.push(composed);
    return values;
  }

  #commonValues(): readonly Value[] {
    const { object, oldObject } = this.#objects;
    this.#common ??= [
      object === undefined ? ABSENT : valueFromJson(object),
      oldObject === undefined ? ABSENT : valueFromJson(oldObject),
      this.#namespaceObject === undefined ? ABSENT : valueFromJson(this.#namespaceObject),
      valueFromJson(admissionRequestOf(this.#attributes, this.#view)),
    ];
    return this.#common;
  }

  #checkValues(): readonly Value[] {
    if (this.#checks === undefined) {
      const authorizer = new CelAuthorizer(this.authorizer.authorize);
      const { resource, subresource, namespace, name } = this.#attributes;
      const attributes = { group: resource.group, resource: resource.resource, subresource, namespace, name };
      this.#checks = [
        authorizer,
        new CelResourceCheck(authorizer, { ...attributes, fieldSelector: '', labelSelector: '' }),
      ];
    }
    return this.#checks;
  }
}

/** Returns the authorizer of the expressions of one request. */
export function requestAuthorizer(authorizer: Authorizer, requester: UserInfo): DeferredAuthorizer {
  return new DeferredAuthorizer((check) => {
    const decided = andThen(
      authorizer.authorize(requestOf(check, requester)),
      ({ decision, reason, error }): AuthorizationDecision => ({ allowed: decision === 'allow', reason, error }),
    );
    return isPromise(decided) ? Promise.resolve(decided) : decided;
  });
}

function requestOf(check: AuthorizationCheck, requester: UserInfo): RequestAttributes {
  const user = userOf(check.user, requester);
  const none = { namespace: '', apiGroup: '', apiVersion: '', resource: '', subresource: '', name: '', path: '' };
  if (check.kind === 'path') return { ...none, user, verb: check.verb, path: check.path, isResourceRequest: false };
  const { verb, group, resource, subresource, namespace, name } = check;
  // The version does not count for authorization; kube-apiserver sends any.
  const attributes = { apiGroup: group, apiVersion: '*', resource, subresource, namespace, name };
  return { ...none, ...attributes, user, verb, isResourceRequest: true };
}

function userOf(user: CheckedUser, requester: UserInfo): UserInfo {
  return user.kind === 'request-user'
    ? requester
    : serviceAccountUser({ namespace: user.namespace, name: user.name, uid: '' });
}

/** Returns the objects in the version of the view. They are shared with the request unless they were converted. */
export async function viewedObjects(attributes: AdmissionAttributes, { version }: HookView): Promise<ViewedObjects> {
  const { object, oldObject } = attributes;
  if (version === undefined) return { object, oldObject };
  const conversion = { from: attributes.version, to: version };
  return {
    object: object && (await convertObject(attributes, object, conversion)),
    oldObject: oldObject && (await convertObject(attributes, oldObject, conversion)),
  };
}

/** Returns an object of the request in another version. */
export async function convertObject(
  attributes: AdmissionAttributes,
  object: JsonObject,
  { from, to }: { readonly from: VersionDefinition; readonly to: VersionDefinition },
): Promise<JsonObject> {
  const converted = await attributes.convert(object, from, to);
  // Conversion gives custom objects their first generation, which a new object does not have yet.
  if (metadataOf(object)?.['generation'] === undefined) delete metadataOf(converted)?.['generation'];
  return converted;
}
