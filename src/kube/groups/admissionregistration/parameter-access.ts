/**
 * Authorization of writes of policies with parameters and of their bindings: the user must be allowed to read the
 * parameters. Members of system:masters always are. A parameter kind that no server serves needs permission for all
 * groups, versions and resources.
 */
import { parseGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { type FieldIssue, forbidden } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { WriteCheck } from '../../../server/resource/checked-writes.ts';
import type { KubeContext } from '../../kube-context.ts';
import { mayAlwaysEscalate } from '../../rbac/escalation.ts';

type Context = Pick<KubeContext, 'authorizer' | 'lister' | 'pluralOf'>;

const PARAM_KIND = FieldPath.of('spec', 'paramKind');
const PARAM_REF = FieldPath.of('spec', 'paramRef');

interface Target {
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
}

const ANYTHING: Target = { apiGroup: '*', apiVersion: '*', resource: '*' };

/** Returns the resource of a parameter kind; `*` for the parts that cannot be resolved. */
function targetOf(context: Context, kind: JsonObject): Target {
  const parsed = parseGroupVersion(textAt(kind, 'apiVersion'));
  if (!parsed.ok) return ANYTHING;
  const { group, version } = parsed.value;
  const plural = context.pluralOf({ group, version, kind: textAt(kind, 'kind') });
  return { apiGroup: group, apiVersion: version, resource: plural ?? '*' };
}

/** The check for both policy kinds. */
export function policyAccess(context: Context): WriteCheck {
  return (policy, old, { request: { user } }) => {
    const kind = objectAt(policy, 'spec', 'paramKind');
    if (kind === undefined || mayAlwaysEscalate(user)) return [];
    if (old !== undefined && equalJson(objectAt(old, 'spec', 'paramKind') ?? null, kind)) return [];
    const asked = { verb: 'get', name: '*', namespace: '*', ...targetOf(context, kind) };
    return andThen(isAllowed(context, user, asked), (allowed): FieldIssue[] => {
      if (allowed) return [];
      const shown = `(kind=${textAt(kind, 'kind')}, apiVersion=${textAt(kind, 'apiVersion')})`;
      const text = `user ${showUser(user)} must have "get" permission on all objects of the referenced paramKind ${shown}`;
      return [forbidden(PARAM_KIND, text)];
    });
  };
}

/** The check for both binding kinds. `policies` is the plural of the policies they bind. */
export function bindingAccess(context: Context, policies: string): WriteCheck {
  return (binding, old, { request: { user } }) => {
    const reference = objectAt(binding, 'spec', 'paramRef');
    if (reference === undefined || mayAlwaysEscalate(user)) return [];
    if (old !== undefined && isSameBinding(binding, old)) return [];
    const lister = context.lister(policies);
    return andThen(lister.fresh(), () => {
      const policy = lister.get('', textAt(binding, 'spec', 'policyName'));
      const kind = policy === undefined ? undefined : objectAt(policy, 'spec', 'paramKind');
      const target = kind === undefined ? ANYTHING : targetOf(context, kind);
      const name = textAt(reference, 'name');
      const verb = name === '' ? 'list' : 'get';
      const asked = { verb, name, namespace: textAt(reference, 'namespace'), ...target };
      return andThen(isAllowed(context, user, asked), (allowed): FieldIssue[] => {
        if (allowed) return [];
        const everything = `user ${showUser(user)} does not have "${verb}" permission for all groups, versions and resources`;
        if (policy === undefined) {
          const which = `unable to get policy ${textAt(binding, 'spec', 'policyName')}`;
          return [forbidden(PARAM_REF, `${which} to determine minimum required permissions and ${everything}`)];
        }
        if (kind !== undefined && target.resource === '*') {
          const which = `unable to resolve paramKind ${showKind(kind)}`;
          return [forbidden(PARAM_REF, `${which} to determine minimum required permissions and ${everything}`)];
        }
        const text = `user ${showUser(user)} does not have "${verb}" permission on the object referenced by paramRef`;
        return [forbidden(PARAM_REF, text)];
      });
    });
  };
}

function isSameBinding(binding: JsonObject, old: JsonObject): boolean {
  return ['paramRef', 'policyName'].every((name) =>
    equalJson(objectAt(binding, 'spec')?.[name] ?? null, objectAt(old, 'spec')?.[name] ?? null),
  );
}

function isAllowed(
  context: Context,
  user: UserInfo,
  asked: Target & { readonly verb: string; readonly name: string; readonly namespace: string },
): MaybePromise<boolean> {
  const attributes = { user, subresource: '', path: '', isResourceRequest: true, ...asked };
  return andThen(context.authorizer.authorize(attributes), ({ decision }) => decision === 'allow');
}

/** Returns the user as Go prints the struct. */
function showUser({ name, uid, groups, extra }: UserInfo): string {
  const entries = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`;
}

function showKind(kind: JsonObject): string {
  return `&{${textAt(kind, 'apiVersion')} ${textAt(kind, 'kind')}}`;
}
