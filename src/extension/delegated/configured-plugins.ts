/**
 * The admission plugins that read configurations of the parent. They are one module, so that one dynamic import loads
 * all of them.
 */
export { mutatingAdmissionPolicy } from '../../admission/policies/mutating-policies.ts';
export { paramObjects } from '../../admission/policies/param-objects.ts';
export { validatingAdmissionPolicy } from '../../admission/policies/validating-policies.ts';
export { mutatingAdmissionWebhook } from '../../admission/webhooks/mutating-webhooks.ts';
export { validatingAdmissionWebhook } from '../../admission/webhooks/validating-webhooks.ts';
