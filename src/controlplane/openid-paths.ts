/**
 * The paths `/.well-known/openid-configuration` and `/openid/v1/jwks`, with which other programs verify service account
 * tokens. Both documents are made at the first request to one of them. Both answer 404 if the issuer is not a valid
 * https URL.
 */
import { StatusError } from '../apimachinery/status/status.ts';
import { genericServerResponse } from '../apimachinery/status/status-catalogue.ts';
import type { Logger } from '../base/logger.ts';
import {
  JWKS_PATH,
  JWKS_TYPE,
  OPENID_CACHE_CONTROL,
  OPENID_CONFIGURATION_PATH,
  OPENID_CONFIGURATION_TYPE,
  type OpenIdResult,
} from '../pki/jwks.ts';
import { NOT_FOUND, type PathMux } from '../server/http/paths.ts';
import type { SimplePath } from '../server/openapi/document-v3.ts';

/** The paths as the OpenAPI documents describe them. */
export const OPENID_DOCUMENTED: readonly SimplePath[] = [
  {
    document: '.well-known/openid-configuration',
    path: '/.well-known/openid-configuration/',
    id: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    description: 'get where the keys are that verify ServiceAccount tokens',
    produces: [OPENID_CONFIGURATION_TYPE],
  },
  {
    document: 'openid/v1/jwks',
    path: '/openid/v1/jwks/',
    id: 'getServiceAccountIssuerOpenIDKeyset',
    tag: 'openid',
    description: 'get the keys that verify ServiceAccount tokens',
    produces: [JWKS_TYPE],
  },
];

export function mountOpenId(mux: PathMux, make: () => Promise<OpenIdResult>, logger: Logger): void {
  let made: Promise<OpenIdResult> | undefined;
  const documents = (): Promise<OpenIdResult> => {
    made ??= make().then((result) => {
      if (!result.ok)
        logger.warn('the OpenID documents of service account tokens answer 404; check --service-account-issuer', {
          reason: result.message,
        });
      return result;
    });
    return made;
  };
  const mount = (path: string, type: string, pick: (result: OpenIdResult & { ok: true }) => Uint8Array): void =>
    mux.handle(path, async ({ incoming }) => {
      if (incoming.method !== 'GET') throw new StatusError(genericServerResponse({ code: 405, verb: '' }));
      const result = await documents();
      if (!result.ok) return NOT_FOUND;
      const headers = { 'content-type': type, 'cache-control': OPENID_CACHE_CONTROL };
      return { kind: 'bytes', status: 200, headers, body: pick(result) };
    });
  mount(OPENID_CONFIGURATION_PATH, OPENID_CONFIGURATION_TYPE, ({ configuration }) => configuration);
  mount(JWKS_PATH, JWKS_TYPE, ({ keySet }) => keySet);
}
