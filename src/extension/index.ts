/**
 * The front door `keelson/extension`: the SDK for extension API servers, which serve resources of their own behind a
 * Kubernetes API server, or without one.
 *
 * ```ts
 * const server = createExtensionServer({ resources: [Account] });
 * await server.listen({ port: 8443 });
 * ```
 */
export type { AdmissionAttributes, AdmissionPlugin } from '../server/admission.ts';
export type { AuthenticationResult, TokenAuthenticator } from '../server/authenticator.ts';
export type { AuthorizationResult, Authorizer, RequestAttributes } from '../server/authorizer.ts';
export {
  defineResource,
  type ObjectIdentity,
  type ResourceColumn,
  type ResourceOptions,
} from '../server/resource/define-resource.ts';
export type { ResourceDefinition } from '../server/resource/resource-definition.ts';
export type {
  AdmissionOptions,
  AuditFileOptions,
  AuthenticationOptions,
  AuthorizationOptions,
  ExtensionListenOptions,
  ExtensionServer,
  ExtensionServerOptions,
  IssuedCertificate,
  ListeningServer,
  ParentOptions,
} from './extension-server.ts';
export { createExtensionServer } from './node/create-extension-server.ts';
