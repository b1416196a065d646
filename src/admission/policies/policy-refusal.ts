/** The Status of a request that a ValidatingAdmissionPolicy denies. */
import { StatusError, type StatusReason } from '../../apimachinery/status/status.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { refusal } from '../refusal.ts';

export interface PolicyDenial {
  readonly policy: string;
  /** Undefined if the policy itself is misconfigured. */
  readonly binding: string | undefined;
  readonly message: string;
  /** '' for Invalid. */
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
