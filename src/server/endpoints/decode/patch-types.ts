/**
 * The patch type of a request, from its content type. The checks of the router and of the endpoint run in the
 * reference's order.
 */

import { type Status, StatusError } from '../../../apimachinery/status/status.ts';
import { genericServerResponse, unsupportedMediaType } from '../../../apimachinery/status/status-catalogue.ts';
import type { ServerRequest } from '../../http/server-request.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
]);

const APPLY_TYPES: ReadonlySet<string> = new Set(['application/apply-patch+yaml', 'application/apply-patch+cbor']);

/**
 * Returns the type of a patch. Throws the 415. `isRouted` is false for custom resources and their subresources, whose
 * content type no router checks.
 */
export function patchTypeOf(request: ServerRequest, version: VersionDefinition, isRouted: boolean): PatchType {
  const header = request.incoming.header('content-type') ?? '';
  const accepted = [...PATCH_TYPES.keys()].filter(
    (name) => version.strategicMerge || PATCH_TYPES.get(name) !== 'strategic',
  );
  const semicolon = header.indexOf(';');
  const name = semicolon > 0 ? header.slice(0, semicolon) : header;
  if (accepted.includes(name)) return PATCH_TYPES.get(name) as PatchType;
  if (APPLY_TYPES.has(name)) throw new StatusError(applyRefusal(accepted));
  if (!isRouted) throw new StatusError(unsupportedMediaType(accepted));
  const hasRoute = header.split(',').some((part) => accepted.includes((part.split(';')[0] as string).trim()));
  throw new StatusError(hasRoute ? unsupportedMediaType(accepted) : UNROUTABLE);
}

const UNROUTABLE: Status = genericServerResponse({
  code: 415,
  verb: '',
  serverMessage: '415: Unsupported Media Type',
});

function applyRefusal(accepted: readonly string[]): Status {
  const message = `server-side apply is not available in this version of the server - accepted media types of patches include: ${accepted.join(', ')}`;
  return { ...unsupportedMediaType(accepted), message };
}
