/**
 * The check of the Accept header by the reference's HTTP router (go-restful), which runs before negotiation. It is
 * coarser than RFC 9110 and decides which requests are a 406.
 */

/**
 * Reports whether a clause names one of the types or every type. Parameters are ignored, and `application/*` does not
 * match. A missing header accepts everything.
 */
export function acceptsOneOf(accept: string | undefined, mediaTypes: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((clause) => {
    const semicolon = clause.indexOf(';');
    const type = (semicolon < 0 ? clause : clause.slice(0, semicolon)).trim();
    return type === '*/*' || mediaTypes.includes(type);
  });
}
