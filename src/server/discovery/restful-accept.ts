/**
 * What the reference's HTTP router (go-restful) makes of Accept before any negotiation: coarser than RFC 9110, and seen
 * in what is refused with 406.
 */

/**
 * Whether a clause names one of the types, or anything; parameters and `application/*` count for nothing. A missing
 * header accepts all.
 */
export function acceptsOneOf(accept: string | undefined, mediaTypes: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((clause) => {
    const semicolon = clause.indexOf(';');
    const type = (semicolon < 0 ? clause : clause.slice(0, semicolon)).trim();
    return type === '*/*' || mediaTypes.includes(type);
  });
}
