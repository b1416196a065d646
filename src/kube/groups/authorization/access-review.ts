/**
 * The implementation of SubjectAccessReview, SelfSubjectAccessReview and LocalSubjectAccessReview. Invariant: the
 * status is the decision of the same authorizer that the authorization filter asks.
 */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { objectAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, invalid as invalidStatus } from '../../../apimachinery/status/status-catalogue.ts';
import { addIssues, declared, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import { authorizationShapes } from '../../../kinds/shapes/authorization.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../../../server/authorizer.ts';
import type { WriteAnswer } from '../../../server/resource/resource-store.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, reviewResource } from '../../shared/built-in.ts';
import { reviewAnswer } from '../../shared/review-answer.ts';
import { selectorProblems, validateSelectors } from './access-selectors.ts';

export const AUTHORIZATION_GROUP = 'authorization.k8s.io';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

type ReviewKind = 'SubjectAccessReview' | 'SelfSubjectAccessReview' | 'LocalSubjectAccessReview';

export function accessReviewResource(kind: ReviewKind, authorizer: Authorizer): KubeResource {
  const version = builtInVersion({ group: AUTHORIZATION_GROUP, version: 'v1', kind, stored: false });
  const isLocal = kind === 'LocalSubjectAccessReview';
  const definition = reviewResource(version, isLocal ? 'Namespaced' : 'Cluster', (context, review, request) => {
    const issues = validateAccessReview(kind, review);
    // kube-apiserver names no kind in these errors.
    if (issues.length > 0) throw new StatusError(invalidStatus({ group: AUTHORIZATION_GROUP, kind: '' }, '', issues));
    if (isLocal) checkNamespace(context.namespace, review);
    return andThen(request.validate(review), (): MaybePromise<WriteAnswer> => {
      const spec = objectAt(review, 'spec') ?? {};
      const user = kind === 'SelfSubjectAccessReview' ? context.request.user : userOf(spec);
      return andThen(authorizer.authorize(attributesOf(user, spec)), (result) =>
        reviewAnswer(version, { ...review, status: statusOf(result, objectAt(spec, 'resourceAttributes')) }),
      );
    });
  });
  return { definition };
}

function checkNamespace(namespace: string, review: JsonObject): void {
  if (namespace === '') throw new StatusError(badRequest('namespace is required on this type: '));
  if (namespace !== textAt(review, 'metadata', 'namespace'))
    throw new StatusError(badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`));
}

function validateAccessReview(kind: ReviewKind, review: JsonObject): FieldIssue[] {
  const spec = objectAt(review, 'spec') ?? {};
  const resource = objectAt(spec, 'resourceAttributes');
  const nonResource = objectAt(spec, 'nonResourceAttributes');
  const issues: FieldIssue[] = [];
  if (resource !== undefined && nonResource !== undefined)
    issues.push(
      nonResourceIssue(
        SPEC.child('nonResourceAttributes'),
        nonResource,
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  if (resource === undefined && nonResource === undefined)
    issues.push(
      invalid(
        SPEC.child('resourceAttributes'),
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  if (kind !== 'SelfSubjectAccessReview' && textAt(spec, 'user') === '' && textsAt(spec, 'groups').length === 0)
    issues.push(invalid(SPEC.child('user'), '', 'at least one of user or group must be specified'));
  if (resource !== undefined) addIssues(issues, validateSelectors(resource));
  addIssues(issues, validateMetadata(kind, review));
  if (kind !== 'LocalSubjectAccessReview') return issues;
  const namespace = resource === undefined ? undefined : textAt(resource, 'namespace');
  if (namespace !== undefined && namespace !== textAt(review, 'metadata', 'namespace'))
    issues.push(invalid(FieldPath.of('spec.resourceAttributes.namespace'), namespace, 'must match metadata.namespace'));
  if (nonResource !== undefined)
    issues.push(
      nonResourceIssue(FieldPath.of('spec.nonResourceAttributes'), nonResource, 'disallowed on this kind of request'),
    );
  return issues;
}

function nonResourceIssue(path: FieldPath, attributes: JsonObject, detail: string): FieldIssue {
  return declared(invalid(path, goValue(authorizationShapes, 'NonResourceAttributes', attributes), detail));
}

/** A review is not stored, so its metadata must be empty, except the namespace of a LocalSubjectAccessReview. */
function validateMetadata(kind: ReviewKind, review: JsonObject): FieldIssue[] {
  const metadata = objectAt(review, 'metadata') ?? {};
  const isLocal = kind === 'LocalSubjectAccessReview';
  const allowed = isLocal ? ['namespace', 'managedFields'] : ['managedFields'];
  if (Object.keys(metadata).every((name) => allowed.includes(name))) return [];
  return [declared(invalid(METADATA, metadata, isLocal ? 'must be empty except for namespace' : 'must be empty'))];
}

function userOf(spec: JsonObject): UserInfo {
  const extra = objectAt(spec, 'extra') ?? {};
  return {
    name: textAt(spec, 'user'),
    uid: textAt(spec, 'uid'),
    groups: textsAt(spec, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}

function attributesOf(user: UserInfo, spec: JsonObject): RequestAttributes {
  const resource = objectAt(spec, 'resourceAttributes');
  const asked = resource ?? objectAt(spec, 'nonResourceAttributes') ?? {};
  return {
    user,
    verb: textAt(asked, 'verb'),
    namespace: textAt(asked, 'namespace'),
    apiGroup: textAt(asked, 'group'),
    apiVersion: textAt(asked, 'version') || '*',
    resource: textAt(asked, 'resource'),
    subresource: textAt(asked, 'subresource'),
    name: textAt(asked, 'name'),
    path: textAt(asked, 'path'),
    isResourceRequest: resource !== undefined,
  };
}

function statusOf(result: AuthorizationResult, resource: JsonObject | undefined): JsonObject {
  const { decision, reason, error } = result;
  const problems = [...(error === '' ? [] : [error]), ...selectorProblems(resource)];
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : undefined),
    ...(reason === '' ? undefined : { reason }),
    ...(problems.length === 0 ? undefined : { evaluationError: problems.join('; ') }),
  };
}
