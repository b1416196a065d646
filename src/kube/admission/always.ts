/** The plugins AlwaysAdmit and AlwaysDeny, for tests. Both are disabled by default. */

import { refusal } from '../../admission/refusal.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';

export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', handles: () => true };
}

export function alwaysDeny(): AdmissionPlugin {
  const deny: NonNullable<AdmissionPlugin['admit']> = (attributes) => {
    throw refusal(attributes, 'admission control is denying all modifications');
  };
  return { name: 'AlwaysDeny', handles: () => true, admit: deny, validate: deny };
}
