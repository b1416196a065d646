/** The message about an encrypted value that cannot be read without its encryption configuration. */

/** How many bytes are searched for the prefix `k8s:enc:<provider>:v<N>:<key name>:`. */
const ENCRYPTION_PREFIX_BYTES = 100;

/** `stored` is a value whose encoding is `encrypted`. */
export function encryptedReason(stored: Uint8Array): string {
  const head = String.fromCharCode(...stored.subarray(0, ENCRYPTION_PREFIX_BYTES)).match(
    /^k8s:enc:(\w+):v\d+:([^:]+):/,
  );
  if (head === null) return 'it is encrypted (give --encryption-provider-config)';
  return `it is encrypted by ${head[1]} with the key ${JSON.stringify(head[2])} (give --encryption-provider-config)`;
}
