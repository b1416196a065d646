/** The check of a CA bundle, as a parameter: this layer cannot parse certificates. */

/**
 * Checks `bundle`, base64 of PEM and not empty. Returns the message of kube-apiserver's TLS setup, or undefined if the
 * bundle contains certificates.
 */
export type CheckCaBundle = (bundle: string) => string | undefined;
