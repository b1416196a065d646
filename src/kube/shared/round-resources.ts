/** Rounding of resource amounts, part of defaulting. Invariant: stored amounts are multiples of one thousandth. */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { formatQuantity, pow10, quantityFromScaled } from '../../apimachinery/scalars/quantity.ts';
import { parseQuantity } from '../../apimachinery/scalars/quantity-parse.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

const MILLI = -3;
/** Matches every amount that is not a multiple of one thousandth, and some that are. */
const MAYBE_FINE = /[nu.e]/;

/** Rounds the amounts of a list to thousandths, away from zero, in place. */
export function roundResourceList(list: JsonValue | undefined): void {
  if (!isJsonObject(list)) return;
  for (const name of Object.keys(list)) {
    const text = list[name];
    if (typeof text === 'string' && MAYBE_FINE.test(text)) list[name] = roundedText(text);
  }
}

/** Rounds the owner's `resources.limits` and `resources.requests` in place. */
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
