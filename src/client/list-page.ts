/** One request for a page of a list. */
import type { Transport } from '../apimachinery/http/transport.ts';
import { textAt } from '../apimachinery/meta/object-fields.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import { toError } from '../base/errors.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import type { ObjectCompleter, ObjectDecoder } from './decode-object.ts';
import { splitList } from './list-bytes.ts';
import { type Call, parseObject, sendForBytes, unusable } from './response.ts';
import { type FieldsSharing, itemsOf } from './share-fields.ts';

/** A page whose items have any type. */
export interface DecodedPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/**
 * Requests a page and parses it with its items. `fields` shares equal `fieldsV1` values of the items. The method of the
 * call must be GET.
 */
export async function readPage<T>(
  transport: Transport,
  call: Call,
  complete: ObjectCompleter<T>,
  fields?: FieldsSharing,
): Promise<DecodedPage<T>> {
  const bytes = await sendForBytes(transport, call);
  const plain = fields?.read(decodeUtf8(bytes), itemsOf);
  const list = isJsonObject(plain) ? plain : parseObject(bytes, call);
  const items = getField(list, 'items') ?? [];
  if (!Array.isArray(items)) throw unusable(call, 'the response has no list of items');
  return pageOf(list, call, () => items.map(complete));
}

/**
 * Requests a page, whose items `decode` makes from their bytes. The items are not parsed otherwise, so a decoder that
 * reads few fields saves most of the work.
 */
export async function readPageBytes<T>(
  transport: Transport,
  call: Call,
  decode: ObjectDecoder<T>,
): Promise<DecodedPage<T>> {
  const split = splitList(await sendForBytes(transport, call));
  if (!split.ok) throw unusable(call, `the response is not a list: ${split.message}`);
  return pageOf(parseObject(split.envelope, call), call, () => split.items.map(decode));
}

function pageOf<T>(list: JsonObject, call: Call, decodeItems: () => readonly T[]): DecodedPage<T> {
  const metadata = getField(list, 'metadata');
  if (!isJsonObject(metadata)) throw unusable(call, 'the response is not a list: it has no metadata');
  const remaining = getField(metadata, 'remainingItemCount');
  try {
    return {
      items: decodeItems(),
      resourceVersion: textAt(list, 'metadata', 'resourceVersion'),
      continueToken: textAt(list, 'metadata', 'continue'),
      remainingItemCount: typeof remaining === 'number' ? remaining : undefined,
    };
  } catch (caught) {
    throw unusable(call, toError(caught).message, caught);
  }
}
