/**
 * The OpenID configuration and the JSON Web Key Set, with which other programs verify ServiceAccount tokens. Both
 * contain only public keys and are byte-equal to the reference's documents.
 */
import { quote } from '../apimachinery/go-format.ts';
import type { JsonObject } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import type { PublicKey } from './keys.ts';
import { keyCrypto } from './runtime-key-crypto.ts';

export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration';
export const JWKS_PATH = '/openid/v1/jwks';
export const OPENID_CONFIGURATION_TYPE = 'application/json';
export const JWKS_TYPE = 'application/jwk-set+json';
/** Clients and proxies may cache both documents for an hour. Publish a new key at least that long before it signs. */
export const OPENID_CACHE_CONTROL = 'public, max-age=3600';

export interface OpenIdOptions {
  /** `--service-account-issuer`. */
  readonly issuer: string;
  /** `--service-account-jwks-uri`; default: JWKS_PATH on the external address. */
  readonly jwksUri?: string;
  /** Host and port under which clients reach this server. */
  readonly externalAddress: string;
  readonly keys: readonly PublicKey[];
}

export type OpenIdResult =
  | { readonly ok: true; readonly configuration: Uint8Array; readonly keySet: Uint8Array }
  /** The reference logs the text and serves neither document. */
  | { readonly ok: false; readonly message: string };

/** Makes both documents, or returns why the issuer is not valid for OpenID. */
export async function createOpenIdDocuments(options: OpenIdOptions): Promise<OpenIdResult> {
  const { issuer, keys } = options;
  const message = checkIssuer(options);
  if (message !== undefined) return { ok: false, message };
  const configuration: JsonObject = {
    issuer,
    jwks_uri: jwksUriOf(options),
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map((key) => key.algorithm))].sort(),
  };
  const keySet: JsonObject = { keys: await Promise.all(keys.map(jwkOf)) };
  return { ok: true, configuration: writeJsonBytes(configuration), keySet: writeJsonBytes(keySet) };
}

/** Returns a public key as a JSON Web Key, with the fields in go-jose's order. */
async function jwkOf(key: PublicKey): Promise<JsonObject> {
  const { kty = '', crv, x, y, n, e } = await keyCrypto.jwk(key.handle);
  const common = { use: 'sig', kty, kid: key.keyId };
  return crv === undefined
    ? { ...common, alg: key.algorithm, n: n ?? '', e: e ?? '' }
    : { ...common, crv, alg: key.algorithm, x: x ?? '', y: y ?? '' };
}

function jwksUriOf(options: OpenIdOptions): string {
  const given = options.jwksUri ?? '';
  return given === '' ? `https://${options.externalAddress}${JWKS_PATH}` : given;
}

function checkIssuer(options: OpenIdOptions): string | undefined {
  const { issuer } = options;
  const jwksUri = options.jwksUri ?? '';
  if (issuer === '') return 'empty issuer URL';
  if (jwksUri === '' && options.externalAddress === '')
    return 'either the JWKS URI or the default external address, or both, must be set';
  for (const url of [issuer, jwksUri])
    if (/[\x00-\x1f\x7f]/.test(url)) return `parse ${quote(url)}: net/url: invalid control character in URL`;
  if (!/^https:/i.test(issuer)) return `issuer URL must use https scheme, got: ${issuer}`;
  const [beforeFragment = '', fragment = ''] = cut(issuer, '#');
  if (cut(beforeFragment, '?')[1] !== '') return `issuer URL may not include a query, got: ${issuer}`;
  if (fragment !== '') return `issuer URL may not include a fragment, got: ${issuer}`;
  if (jwksUri !== '' && !/^https:/i.test(jwksUri)) return `jwksURI requires https scheme, parsed as: ${jwksUri}`;
  return options.keys.length === 0 ? 'no keys provided for validating keyset' : undefined;
}

function cut(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
