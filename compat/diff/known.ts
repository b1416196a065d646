/**
 * Differences from the reference that we know and accept for now. Invariant: each one occurs (an entry that no longer does fails the run), and
 * each id stands in docs/compatibility.md as `**id.**` with its reason in full.
 */
import type { KnownEntry } from '../common/outcome.ts';

export interface KnownDifference extends KnownEntry {
  /** Matches `topic / case / METHOD path`. */
  readonly request: RegExp;
  /** Matches `where: reference → candidate`; default: everything about the request. */
  readonly difference?: RegExp;
}

export const KNOWN: readonly KnownDifference[] = [
  {
    id: 'Server-side apply',
    reason: 'it comes later; until then the answer is 415',
    request: /^apply \//,
  },
  {
    id: 'Paths of the root',
    reason: 'zpages (/flagz, /statusz) and /metrics/slis are not served',
    request: /^discovery \/ the root lists paths \/ GET \/$/,
    difference: /^body\.paths/,
  },
  {
    id: 'Strategic merge patch: panics',
    reason: 'the reference panics and drops the connection; we answer 500 with its own words for such a patch',
    request: /^patches \/ strategic \/ PATCH/,
    difference: /ECONNRESET|: 0 → 500$|: \(absent\) → (?:application\/json|no-cache, private)$/,
  },
  {
    id: 'Number literals in messages',
    reason: 'an integer beyond int64 is a double before the message is made',
    request: /^leases \/ numbers \/ POST/,
    difference: /cannot unmarshal number 9223372036854775808/,
  },
  {
    id: 'HTTP methods that HTTP/1.1 does not register',
    reason: 'the parser of Node refuses them before a request exists',
    request: /^errors \/ methods \/ FROB/,
  },
  {
    id: 'OpenAPI of Namespace delete',
    reason: 'the document says what the answer is: the Namespace, which stays until its content is gone',
    request: /^openapi \/ /,
    difference: /namespaces\/\{name\}"\]\.delete\.responses/,
  },
  {
    id: 'Warnings of refused patches',
    reason: 'a patch that leaves no kind is refused before anybody looks for unknown fields',
    request: /^patches \/ json \/ PATCH/,
    difference: /unknown field \\"data\\"|warning/,
  },
  {
    id: 'CustomResourceDefinition v1beta1',
    reason: 'it is served beside v1, for old manifests',
    request: /^discovery \/ .* \/ (?:GET|DELETE|OPTIONS) \/apis\/?$/,
    difference: /^body\.groups\[\d+\]\.versions\.length/,
  },
  {
    id: 'Storage version of definitions',
    reason: 'we store v1; the reference stores v1beta1, which it no longer serves',
    request: /^definition updates \/ forms and selectors \/ GET \/apis\/apiextensions\.k8s\.io\/v1$/,
    difference: /storageVersionHash/,
  },
  {
    id: 'Expectations of deletes of definitions',
    reason: 'the reference checks them in a place of its own and in other words; the code and the reason are the same',
    request: /^definition updates \/ deletes \/ DELETE/,
    difference: /^body\.(?:details\.kind|message)/,
  },
];
