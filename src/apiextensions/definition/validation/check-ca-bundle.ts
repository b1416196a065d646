/** What is wrong with a CA bundle. Invariant: whoever can read certificates is asked; this layer cannot. */

/** `bundle` is base64 of PEM, as JSON has it, and not empty. The message is that of the reference's TLS setup; undefined if certificates can be read from it. */
export type CheckCaBundle = (bundle: string) => string | undefined;
