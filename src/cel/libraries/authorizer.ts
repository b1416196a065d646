/**
 * The libraries `kubernetes.authz` and `kubernetes.authzSelectors`: authorization checks in expressions.
 *
 * Invariant: only `check` calls the authorizer, exactly once for each call. Its decision is a value, also if the
 * authorizer reports an error.
 */
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/name-syntax.ts';
import { addRanges, fixed, LIST_COST, OBJECT_COST, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { Library, Overload, Range } from '../library.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { BOOL, type CelType, type OpaqueType, opaqueType, STRING } from '../types.ts';
import { CelError, CelOpaque, type Value } from '../values.ts';
import { argOf, NOMINAL } from './costs.ts';
import { declare, member, type OverloadCosts } from './declare.ts';

export const AUTHORIZER: OpaqueType = authorizationType('Authorizer');
const PATH_CHECK: OpaqueType = authorizationType('PathCheck');
const GROUP_CHECK: OpaqueType = authorizationType('GroupCheck');
export const RESOURCE_CHECK: OpaqueType = authorizationType('ResourceCheck');
export const DECISION: OpaqueType = authorizationType('Decision');

function authorizationType(name: string): OpaqueType {
  return { ...opaqueType(`kubernetes.authorization.${name}`), isObject: true };
}

/** The user of a check: the user of the request, or a ServiceAccount that the expression names. */
export type CheckedUser =
  | { readonly kind: 'request-user' }
  | { readonly kind: 'service-account'; readonly namespace: string; readonly name: string };

/** The attributes of a check. Attributes that the expression does not set are ''. */
export type AuthorizationCheck =
  | { readonly kind: 'path'; readonly user: CheckedUser; readonly path: string; readonly verb: string }
  | ({ readonly kind: 'resource'; readonly user: CheckedUser; readonly verb: string } & ResourceAttributes);

export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The error of the authorizer, which expressions read with `error()`; '' if there was none. */
  readonly error: string;
}

/**
 * Decides a check. Called during an evaluation, which is synchronous. `DeferredAuthorizer` makes one of an authorizer
 * that answers with promises. A CelError that it throws is the result of the call of `check`; any other error ends the
 * evaluation and is thrown to the caller of the program.
 */
export type Authorize = (check: AuthorizationCheck) => AuthorizationDecision;

/** A value of these libraries. It is equal to itself only. */
class AuthorizationValue<T> extends CelOpaque {
  readonly type: OpaqueType;
  readonly content: T;

  constructor(type: OpaqueType, content: T) {
    super();
    this.type = type;
    this.content = content;
  }

  equals(other: CelOpaque): boolean {
    return this === other;
  }
}

/** The value of the variable `authorizer`. */
export class CelAuthorizer extends AuthorizationValue<{ readonly authorize: Authorize; readonly user: CheckedUser }> {
  constructor(authorize: Authorize, user: CheckedUser = { kind: 'request-user' }) {
    super(AUTHORIZER, { authorize, user });
  }
}

class PathCheck extends AuthorizationValue<{ readonly authorizer: CelAuthorizer; readonly path: string }> {}

class GroupCheck extends AuthorizationValue<{ readonly authorizer: CelAuthorizer; readonly group: string }> {}

interface ResourceCheckContent {
  readonly authorizer: CelAuthorizer;
  readonly attributes: ResourceAttributes;
}

/** The value of `authorizer.group(g).resource(r)`, and of the variable `authorizer.requestResource`. */
export class CelResourceCheck extends AuthorizationValue<ResourceCheckContent> {
  constructor(authorizer: CelAuthorizer, attributes: ResourceAttributes) {
    super(RESOURCE_CHECK, { authorizer, attributes });
  }
}

class Decision extends AuthorizationValue<AuthorizationDecision> {}

const NO_ATTRIBUTES: ResourceAttributes = {
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

/** The cost of a check. It lets an expression make two checks within kube-apiserver's limit of 1,000,000. */
export const CHECK_COST = 350_000;
const CHECK: OverloadCosts = {
  runtimeCost: () => CHECK_COST,
  estimateCost: () => ({ cost: { min: CHECK_COST, max: CHECK_COST } }),
};

/** A selector is parsed to a list of requirements, of which the shortest has two characters. */
function selectorCost(length: Range): Range {
  const requirements = scaleRange(scaleRange(length, 0.5), LIST_COST + OBJECT_COST);
  return addRanges(addRanges(fixed(LIST_COST), scaleRange(length, STRING_FACTOR)), requirements);
}

const SELECTOR: OverloadCosts = {
  runtimeCost: (args) => selectorCost(fixed(sizeForCost(args[1] as Value))).max,
  estimateCost: (call) => ({ cost: selectorCost(call.sizeOf(argOf(call, 1))) }),
};

/** A method with one string argument. */
function textMethod(
  id: string,
  target: OpaqueType,
  result: CelType,
  evaluate: (target: never, text: string) => Value,
  costs = NOMINAL,
): Overload {
  return member(id, [target, STRING], result, (value, text) => evaluate(value as never, text as string), costs);
}

/** A method that sets an attribute of a resource check. */
function setAttribute(id: string, name: keyof ResourceAttributes, costs = NOMINAL): Overload {
  const evaluate = ({ content: { authorizer, attributes } }: CelResourceCheck, text: string): Value =>
    new CelResourceCheck(authorizer, { ...attributes, [name]: text });
  return textMethod(id, RESOURCE_CHECK, RESOURCE_CHECK, evaluate, costs);
}

function withServiceAccount(authorizer: Value, namespace: Value, name: Value): Value {
  if (checkDns1123Subdomain(name as string).length > 0) throw new CelError('Invalid service account name');
  if (checkDns1123Label(namespace as string).length > 0) throw new CelError('Invalid service account namespace');
  const user: CheckedUser = { kind: 'service-account', namespace: namespace as string, name: name as string };
  return new CelAuthorizer((authorizer as CelAuthorizer).content.authorize, user);
}

function nonEmpty(text: string, what: string): string {
  if (text.trim() === '') throw new CelError(`${what} must not be empty`);
  return text;
}

function newPathCheck(authorizer: CelAuthorizer, path: string): Value {
  return new PathCheck(PATH_CHECK, { authorizer, path: nonEmpty(path, 'path') });
}

function newResourceCheck({ content: { authorizer, group } }: GroupCheck, resource: string): Value {
  return new CelResourceCheck(authorizer, { ...NO_ATTRIBUTES, group, resource: nonEmpty(resource, 'resource') });
}

function decidePath({ content: { authorizer, path } }: PathCheck, verb: string): Value {
  const { authorize, user } = authorizer.content;
  return new Decision(DECISION, authorize({ kind: 'path', user, path, verb }));
}

function decideResource({ content: { authorizer, attributes } }: CelResourceCheck, verb: string): Value {
  const { authorize, user } = authorizer.content;
  return new Decision(DECISION, authorize({ kind: 'resource', user, verb, ...attributes }));
}

/** A method that reads a field of a decision. */
function readDecision(id: string, result: CelType, read: (decision: AuthorizationDecision) => Value): Overload {
  return member(id, [DECISION], result, (decision) => read((decision as Decision).content), NOMINAL);
}

export const AUTHORIZER_LIBRARY: Library = {
  name: 'kubernetes.authz',
  functions: [
    declare('path', textMethod('authorizer_path', AUTHORIZER, PATH_CHECK, newPathCheck)),
    declare(
      'group',
      textMethod(
        'authorizer_group',
        AUTHORIZER,
        GROUP_CHECK,
        (authorizer: CelAuthorizer, group) => new GroupCheck(GROUP_CHECK, { authorizer, group }),
      ),
    ),
    declare(
      'serviceAccount',
      member(
        'authorizer_serviceaccount',
        [AUTHORIZER, STRING, STRING],
        AUTHORIZER,
        (authorizer, namespace, name) => withServiceAccount(authorizer as Value, namespace as Value, name as Value),
        NOMINAL,
      ),
    ),
    declare('resource', textMethod('groupcheck_resource', GROUP_CHECK, RESOURCE_CHECK, newResourceCheck)),
    declare('subresource', setAttribute('resourcecheck_subresource', 'subresource')),
    declare('namespace', setAttribute('resourcecheck_namespace', 'namespace')),
    declare('name', setAttribute('resourcecheck_name', 'name')),
    declare(
      'check',
      textMethod('pathcheck_check', PATH_CHECK, DECISION, decidePath, CHECK),
      textMethod('resourcecheck_check', RESOURCE_CHECK, DECISION, decideResource, CHECK),
    ),
    declare(
      'errored',
      readDecision('decision_errored', BOOL, ({ error }) => error !== ''),
    ),
    declare(
      'error',
      readDecision('decision_error', STRING, ({ error }) => error),
    ),
    declare(
      'allowed',
      readDecision('decision_allowed', BOOL, ({ allowed }) => allowed),
    ),
    declare(
      'reason',
      readDecision('decision_reason', STRING, ({ reason }) => reason),
    ),
    declare('fieldSelector', setAttribute('authorizer_fieldselector', 'fieldSelector', SELECTOR)),
    declare('labelSelector', setAttribute('authorizer_labelselector', 'labelSelector', SELECTOR)),
  ],
};
