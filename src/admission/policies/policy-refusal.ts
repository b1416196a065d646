/** The Status of a request that policies deny. */

import { quote } from '../../apimachinery/go-format.ts';
import { StatusError, type StatusReason } from '../../apimachinery/status/status.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { refusal } from '../refusal.ts';

export interface PolicyDenial {
  readonly policy: string;
  /** Undefined if the policy itself is misconfigured. */
  readonly binding: string | undefined;
  readonly message: string;
  /** '' for Invalid. A misconfiguration of a mutating policy is Forbidden. */
  readonly reason: string;
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** Has the message of a 403, with the code and reason that the policy says. */
export function policyRefusal(attributes: AdmissionAttributes, denial: PolicyDenial): StatusError {
  const { policy, binding, message: text } = denial;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${text}`;
  const { status } = refusal(attributes, message, [{ message }]);
  const reason: StatusReason = denial.reason || 'Invalid';
  return new StatusError({ ...status, reason, code: CODES[reason] ?? 422 });
}

/** Has the message and reason of the first denial, and one cause for each. Its code is always 403. */
export function mutationRefusal(
  attributes: AdmissionAttributes,
  denials: readonly [PolicyDenial, ...PolicyDenial[]],
): StatusError {
  const messages = denials.map(({ policy, binding, message }) => {
    const by = binding === undefined ? quote(policy) : `'${policy}' with binding '${binding}'`;
    return `policy ${by} denied request: ${message}`;
  });
  const causes = messages.map((message) => ({ message }));
  const { status } = refusal(attributes, '', causes);
  return new StatusError({ ...status, message: messages[0] ?? '', reason: denials[0].reason });
}
