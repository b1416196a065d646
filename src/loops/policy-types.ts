/** The interface to the type checking of ValidatingAdmissionPolicies. */
import type { DeepReadonly } from '../client/object-types.ts';
import type { ValidatingAdmissionPolicy } from '../kinds/api/admissionregistration/v1.ts';

export interface PolicyTypes {
  /**
   * Returns the warnings about the expressions of a policy. Rejects if the schemas of the matched kinds cannot be read.
   */
  check(policy: DeepReadonly<ValidatingAdmissionPolicy>): Promise<readonly PolicyWarning[]>;
}

export interface PolicyWarning {
  readonly fieldRef: string;
  readonly warning: string;
}
