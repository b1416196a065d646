/** Amounts in lists of resources. Invariant: what is stored is never finer than a thousandth; it is rounded up when it is read. */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { formatQuantity, pow10, quantityFromScaled } from '../../apimachinery/scalars/quantity.ts';
import { parseQuantity } from '../../apimachinery/scalars/quantity-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

const MILLI = -3;
/** Only such texts can stand for less than a thousandth. */
const MAYBE_FINE = /[nu.e]/;

/** Rounds the amounts of a list up to thousandths (away from zero), in place. */
export function roundResourceList(list: JsonValue | undefined): void {
  if (!isJsonObject(list)) return;
  for (const name of Object.keys(list)) {
    const text = list[name];
    if (typeof text === 'string' && MAYBE_FINE.test(text)) list[name] = roundedText(text);
  }
}

/** Rounds `limits` and `requests` of the resource requirements that the owner has in `resources`. */
export function roundResourceRequirements(owner: JsonObject): void {
  const resources = objectAt(owner, 'resources');
  if (resources === undefined) return;
  roundResourceList(resources['limits']);
  roundResourceList(resources['requests']);
}

function roundedText(text: string): string {
  const quantity = parseQuantity(text);
  if (!quantity.ok || quantity.value.exponent >= MILLI) return text;
  const { unscaled, exponent, format } = quantity.value;
  const divisor = pow10(MILLI - exponent);
  const rest = unscaled % divisor;
  const milli = unscaled / divisor + (rest > 0n ? 1n : rest < 0n ? -1n : 0n);
  return formatQuantity(quantityFromScaled(milli, MILLI, format));
}
