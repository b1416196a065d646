/** The 406 of an object that cannot take the form that was asked for, and how the reference calls the types inside it. */
import type { Status } from '../../apimachinery/status/status.ts';

/** The reference's package of hub types: the first label of the group. */
export function hubPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] as string);
}

/** `what` is `a list` or `not a list`. */
export function notAcceptableForm(form: string, what: string, type: { group: string; kind: string }): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `you requested ${form}, but the requested object is ${what} (*${hubPackage(type.group)}.${type.kind})`,
    reason: 'NotAcceptable',
    code: 406,
  };
}
