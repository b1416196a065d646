/**
 * The patch type of a request, from its content type. The checks of the router and of the endpoint run in the
 * reference's order.
 */

import { type Status, StatusError } from '../../../apimachinery/status/status.ts';
import { genericServerResponse, unsupportedMediaType } from '../../../apimachinery/status/status-catalogue.ts';
import type { ServerRequest } from '../../http/server-request.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';

/** The patch types other than server-side apply. */
export type PlainPatchType = 'json' | 'merge' | 'strategic';
/** Server-side apply, by the encoding of the configuration. */
export type ApplyPatchType = 'apply-yaml' | 'apply-cbor';
export type PatchType = PlainPatchType | ApplyPatchType;

/** Patch types by content type, in the order in which the reference's 415 lists them. */
const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply-yaml'],
  ['application/apply-patch+cbor', 'apply-cbor'],
]);

export interface PatchTypeRules {
  readonly version: VersionDefinition;
  /** False for custom resources and their subresources, whose content type no router checks. */
  readonly isRouted: boolean;
  /** Whether the server reads CBOR. */
  readonly hasCbor: boolean;
}

/** Returns the type of a patch. Throws the 415. */
export function patchTypeOf(request: ServerRequest, { version, isRouted, hasCbor }: PatchTypeRules): PatchType {
  const header = request.incoming.header('content-type') ?? '';
  const semicolon = header.indexOf(';');
  const name = semicolon > 0 ? header.slice(0, semicolon) : header;
  const isAccepted = (type: PatchType | undefined): type is PatchType =>
    type !== undefined && (type !== 'strategic' || version.strategicMerge) && (type !== 'apply-cbor' || hasCbor);
  const type = PATCH_TYPES.get(name);
  if (isAccepted(type)) return type;
  const accepted = [...PATCH_TYPES.keys()].filter((each) => isAccepted(PATCH_TYPES.get(each)));
  if (!isRouted) throw new StatusError(unsupportedMediaType(accepted));
  const hasRoute = header.split(',').some((part) => accepted.includes((part.split(';')[0] as string).trim()));
  throw new StatusError(hasRoute ? unsupportedMediaType(accepted) : UNROUTABLE);
}

const UNROUTABLE: Status = genericServerResponse({
  code: 415,
  verb: '',
  serverMessage: '415: Unsupported Media Type',
});
