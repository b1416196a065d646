/** The operations on keys that need cryptography. `keyCrypto` of runtime-key-crypto.ts is the implementation to use. */

/** The JWS algorithm of a key. Each key has exactly one, as in the reference. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A key of the implementation that made it. */
export type KeyHandle = object;

export interface PublicHandle {
  readonly handle: KeyHandle;
  /** SubjectPublicKeyInfo in DER, in its canonical encoding. */
  readonly spki: Uint8Array;
}

export interface PrivateHandle {
  readonly handle: KeyHandle;
  readonly pkcs8: Uint8Array;
  readonly publicKey: PublicHandle;
}

/** The fields of a public key as a JSON Web Key. */
export interface PublicJwk {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
  readonly n?: string | undefined;
  readonly e?: string | undefined;
}

export interface KeyCrypto {
  /** Generates a P-256 key. */
  generate(): Promise<PrivateHandle>;
  /** Reads SubjectPublicKeyInfo with a key of the algorithm; undefined if it is malformed. */
  readPublic(spki: Uint8Array, algorithm: SigningAlgorithm): Promise<PublicHandle | undefined>;
  /** Reads PKCS#8 with a key of the algorithm; undefined if it is malformed or its parts do not belong together. */
  readPrivate(pkcs8: Uint8Array, algorithm: SigningAlgorithm): Promise<PrivateHandle | undefined>;
  /** An ECDSA signature is the concatenation of r and s. */
  sign(key: KeyHandle, algorithm: SigningAlgorithm, data: Uint8Array): Promise<Uint8Array>;
  verify(key: KeyHandle, algorithm: SigningAlgorithm, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
  jwk(publicKey: KeyHandle): Promise<PublicJwk>;
  sha256(data: Uint8Array): Promise<Uint8Array>;
}
