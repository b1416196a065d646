/**
 * Questions to an authorizer: the libraries `kubernetes.authz` and `kubernetes.authzSelectors`. Invariant: building a question asks nobody; `check` asks exactly once, and
 * what it is told is a value, never an error.
 */

import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/name-syntax.ts';
import { addRanges, fixed, LIST_COST, OBJECT_COST, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { Library, Overload, Range } from '../library.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { BOOL, type CelType, type OpaqueType, opaqueType, STRING } from '../types.ts';
import { CelError, CelOpaque, type Value } from '../values.ts';
import { argOf, NOMINAL } from './costs.ts';
import { declare, member, type OverloadCosts } from './declare.ts';

export const AUTHORIZER: OpaqueType = objectOf('Authorizer');
const PATH_CHECK: OpaqueType = objectOf('PathCheck');
const GROUP_CHECK: OpaqueType = objectOf('GroupCheck');
export const RESOURCE_CHECK: OpaqueType = objectOf('ResourceCheck');
export const DECISION: OpaqueType = objectOf('Decision');

function objectOf(name: string): OpaqueType {
  return { ...opaqueType(`kubernetes.authorization.${name}`), isObject: true };
}

/** Who asks: the user of the request, or a ServiceAccount that the expression names. */
export type Asker =
  | { readonly kind: 'user' }
  | { readonly kind: 'service-account'; readonly namespace: string; readonly name: string };

/** What is asked; an absent part is ''. */
export type AuthorizationQuestion =
  | { readonly kind: 'path'; readonly asker: Asker; readonly path: string; readonly verb: string }
  | ({ readonly kind: 'resource'; readonly asker: Asker; readonly verb: string } & ResourceParts);

export interface ResourceParts {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** '' if nothing went wrong. */
  readonly error: string;
}

/** Answers at once: an expression cannot wait. */
export type AskAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer;

abstract class Step extends CelOpaque {
  /** Nothing here is equal to anything but itself. */
  equals(other: CelOpaque): boolean {
    return this === other;
  }
}

/** The value of the variable `authorizer`. */
export class CelAuthorizer extends Step {
  readonly type: OpaqueType = AUTHORIZER;
  readonly ask: AskAuthorizer;
  readonly asker: Asker;
  constructor(ask: AskAuthorizer, asker: Asker = { kind: 'user' }) {
    super();
    this.ask = ask;
    this.asker = asker;
  }
}

class PathCheck extends Step {
  readonly type: OpaqueType = PATH_CHECK;
  readonly from: CelAuthorizer;
  readonly path: string;
  constructor(from: CelAuthorizer, path: string) {
    super();
    this.from = from;
    this.path = path;
  }
}

class GroupCheck extends Step {
  readonly type: OpaqueType = GROUP_CHECK;
  readonly from: CelAuthorizer;
  readonly group: string;
  constructor(from: CelAuthorizer, group: string) {
    super();
    this.from = from;
    this.group = group;
  }
}

/** Also the value of the variable `authorizer.requestResource`. */
export class CelResourceCheck extends Step {
  readonly type: OpaqueType = RESOURCE_CHECK;
  readonly from: CelAuthorizer;
  readonly parts: ResourceParts;
  constructor(from: CelAuthorizer, parts: ResourceParts) {
    super();
    this.from = from;
    this.parts = parts;
  }
}

class Decision extends Step {
  readonly type: OpaqueType = DECISION;
  readonly answer: AuthorizationAnswer;
  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
}

const NO_PARTS: ResourceParts = {
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

/** As many checks as the reference lets an expression make: two. */
const CHECK_COST = 350_000;
const CHECK: OverloadCosts = {
  runtimeCost: () => CHECK_COST,
  estimateCost: () => ({ cost: { min: CHECK_COST, max: CHECK_COST } }),
};

/** A selector is read into a list of requirements, of which the shortest has two characters. */
function selectorCost(length: Range): Range {
  const requirements = scaleRange(scaleRange(length, 0.5), LIST_COST + OBJECT_COST);
  return addRanges(addRanges(fixed(LIST_COST), scaleRange(length, STRING_FACTOR)), requirements);
}

const SELECTOR: OverloadCosts = {
  runtimeCost: (args) => selectorCost(fixed(sizeForCost(args[1] as Value))).max,
  estimateCost: (call) => ({ cost: selectorCost(call.sizeOf(argOf(call, 1))) }),
};

function step(
  id: string,
  of: OpaqueType,
  result: CelType,
  make: (of: never, text: string) => Value,
  costs = NOMINAL,
): Overload {
  return member(id, [of, STRING], result, (target, text) => make(target as never, text as string), costs);
}

function part(name: keyof ResourceParts): (check: CelResourceCheck, text: string) => Value {
  return (check, text) => new CelResourceCheck(check.from, { ...check.parts, [name]: text });
}

function ofAccount(authorizer: Value, namespace: Value, name: Value): Value {
  if (checkDns1123Subdomain(name as string).length > 0) throw new CelError('Invalid service account name');
  if (checkDns1123Label(namespace as string).length > 0) throw new CelError('Invalid service account namespace');
  const asker: Asker = { kind: 'service-account', namespace: namespace as string, name: name as string };
  return new CelAuthorizer((authorizer as CelAuthorizer).ask, asker);
}

function nonEmpty(text: string, what: string): string {
  if (text.trim() === '') throw new CelError(`${what} must not be empty`);
  return text;
}

function told(id: string, result: CelType, read: (answer: AuthorizationAnswer) => Value): Overload {
  return member(id, [DECISION], result, (decision) => read((decision as Decision).answer), NOMINAL);
}

export const AUTHORIZER_LIBRARY: Library = {
  name: 'kubernetes.authz',
  functions: [
    declare(
      'path',
      step(
        'authorizer_path',
        AUTHORIZER,
        PATH_CHECK,
        (from: CelAuthorizer, path) => new PathCheck(from, nonEmpty(path, 'path')),
      ),
    ),
    declare(
      'group',
      step('authorizer_group', AUTHORIZER, GROUP_CHECK, (from: CelAuthorizer, group) => new GroupCheck(from, group)),
    ),
    declare(
      'serviceAccount',
      member(
        'authorizer_serviceaccount',
        [AUTHORIZER, STRING, STRING],
        AUTHORIZER,
        (authorizer, namespace, name) => ofAccount(authorizer as Value, namespace as Value, name as Value),
        NOMINAL,
      ),
    ),
    declare(
      'resource',
      step(
        'groupcheck_resource',
        GROUP_CHECK,
        RESOURCE_CHECK,
        ({ from, group }: GroupCheck, resource) =>
          new CelResourceCheck(from, { ...NO_PARTS, group, resource: nonEmpty(resource, 'resource') }),
      ),
    ),
    declare('subresource', step('resourcecheck_subresource', RESOURCE_CHECK, RESOURCE_CHECK, part('subresource'))),
    declare('namespace', step('resourcecheck_namespace', RESOURCE_CHECK, RESOURCE_CHECK, part('namespace'))),
    declare('name', step('resourcecheck_name', RESOURCE_CHECK, RESOURCE_CHECK, part('name'))),
    declare(
      'check',
      step(
        'pathcheck_check',
        PATH_CHECK,
        DECISION,
        ({ from, path }: PathCheck, verb) => new Decision(from.ask({ kind: 'path', asker: from.asker, path, verb })),
        CHECK,
      ),
      step(
        'resourcecheck_check',
        RESOURCE_CHECK,
        DECISION,
        ({ from, parts }: CelResourceCheck, verb) =>
          new Decision(from.ask({ kind: 'resource', asker: from.asker, verb, ...parts })),
        CHECK,
      ),
    ),
    declare(
      'errored',
      told('decision_errored', BOOL, ({ error }) => error !== ''),
    ),
    declare(
      'error',
      told('decision_error', STRING, ({ error }) => error),
    ),
    declare(
      'allowed',
      told('decision_allowed', BOOL, ({ allowed }) => allowed),
    ),
    declare(
      'reason',
      told('decision_reason', STRING, ({ reason }) => reason),
    ),
    declare(
      'fieldSelector',
      step('authorizer_fieldselector', RESOURCE_CHECK, RESOURCE_CHECK, part('fieldSelector'), SELECTOR),
    ),
    declare(
      'labelSelector',
      step('authorizer_labelselector', RESOURCE_CHECK, RESOURCE_CHECK, part('labelSelector'), SELECTOR),
    ),
  ],
};
