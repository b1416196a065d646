/** The 406 of an object that cannot take the form that was asked for. */
import type { Status } from '../../apimachinery/status/status.ts';

/** `what` is `a list` or `not a list`; `kind` names what it is. The reference prints its own Go type there. */
export function notAcceptableForm(form: string, what: string, kind: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `you requested ${form}, but the requested object is ${what} (${kind})`,
    reason: 'NotAcceptable',
    code: 406,
  };
}
