/**
 * `keelson/webhook`: admission and conversion webhooks for any Kubernetes API server.
 *
 * ```ts
 * const server = await serveWebhooks({
 *   name: 'guard.example.com',
 *   validate: [
 *     validating(Pod, ({ object }) =>
 *       object.spec?.hostNetwork === true ? [{ field: 'spec.hostNetwork', message: 'must not be used' }] : [],
 *     ),
 *   ],
 * });
 * await server.register();
 * ```
 */
export { type Status, StatusError } from '../apimachinery/status/status.ts';
export type { LogFields, Logger } from '../base/logger.ts';
export { draft } from '../client/draft.ts';
export type { DeepReadonly, Draft } from '../client/object-types.ts';
export {
  type AdmissionContext,
  type AdmissionHook,
  type ConversionHook,
  type Converted,
  converting,
  type HookOptions,
  type Mutate,
  type MutatingHook,
  type MutatingOptions,
  mutating,
  type Operation,
  type RequestUser,
  type Spoke,
  type SpokeConversion,
  spoke,
  type Validate,
  type ValidatingHook,
  type ValidatingOptions,
  validating,
} from './hooks.ts';
export { serveWebhooks } from './node/serve-webhooks.ts';
export { type DenialOptions, denied, type Problem, type ProblemCode } from './problem.ts';
export { type WebhookConfigurations, type WebhookEndpoint, webhookConfigurations } from './webhook-configurations.ts';
export type {
  RegisterOptions,
  Registration,
  WebhookAddress,
  WebhookServer,
  WebhookServerOptions,
  Webhooks,
} from './webhook-server.ts';
