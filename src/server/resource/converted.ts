/** The result of converting one object of a batch. */
import type { StatusError } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** A converted object, or the error of one that can never be converted. */
export type Converted = JsonObject | StatusError;

export function isFailure(converted: Converted): converted is StatusError {
  return converted instanceof Error;
}
