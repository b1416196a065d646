/**
 * Divides the v2 document of a service into one part per group-version. A part is kept as bytes, because it is needed
 * only when `/openapi/v2` is made. For a server without v3, the part is also the source of its v3 document.
 */
import { formatGroupVersion, type GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { contentHash } from '../../base/content-hash.ts';
import { TransportError, toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import type { ServedDocument } from '../../server/openapi/given-version.ts';
import { gnosticV2 } from '../../server/openapi/gnostic/gnostic-v2.ts';
import { gnosticV3 } from '../../server/openapi/gnostic/gnostic-v3.ts';
import { PublishedDocument } from '../../server/openapi/published-document.ts';
import { convertV2 } from './convert-v2.ts';
import { restrictV2 } from './restrict-v2.ts';

export interface V2Part {
  /** Parses the part. */
  value(): JsonObject;
  /** The part as a v3 document. */
  readonly converted: ServedDocument;
}

/**
 * Returns the parts by `group/version`. Throws TransportError for a document that cannot be encoded as protobuf,
 * because the document of all groups could then not be encoded.
 */
export function divideV2(document: JsonObject, versions: readonly GroupVersion[]): ReadonlyMap<string, V2Part> {
  return new Map(versions.map((version) => [formatGroupVersion(version), partOf(restrictV2(document, version))]));
}

function partOf(part: JsonObject): V2Part {
  try {
    gnosticV2(part);
    gnosticV3(convertV2(part));
  } catch (caught) {
    throw new TransportError(`the OpenAPI v2 document cannot be used: ${toError(caught).message}`);
  }
  const bytes = encodeUtf8(writeJson(part));
  const value = (): JsonObject => JSON.parse(decodeUtf8(bytes)) as JsonObject;
  const converted = new PublishedDocument({
    make: () => writeJson(convertV2(value())),
    encode: gnosticV3,
    fingerprint: contentHash(bytes),
  });
  return { value, converted };
}
