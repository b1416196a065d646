/** Conversion of objects between versions while their managers are updated. */
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { MergeType } from './merge-type.ts';
import type { TypedValue } from './typed-value.ts';

/**
 * The versions of one resource, as the updater needs them. A manager owns fields in the version in which it wrote them,
 * so an update needs the object in the version of every manager. `convert` is not called while all managers use the
 * version of the request.
 */
export interface Converter {
  /**
   * Returns the type of the resource in a version; undefined if the version is not served any more: the updater
   * then drops the managers of that version.
   */
  typeAt(apiVersion: string): MergeType | undefined;
  /**
   * Returns the object in another version. Called only for versions that `typeAt` knows and that differ from the
   * version of the object. Must not modify the argument. A failure is thrown or rejected and ends the update; its
   * message begins with `purpose`.
   */
  convert(object: TypedValue, apiVersion: string, purpose: string): MaybePromise<TypedValue>;
}

/** An object to convert, yielded by an algorithm that is written without promises. */
export interface Conversion {
  readonly object: TypedValue;
  readonly apiVersion: string;
  /** The beginning of the message of a failure, in the words of the reference; '' for none. */
  readonly purpose: string;
}

/** An algorithm that yields conversions, is resumed with their results, and returns `R`. */
export type Steps<R> = Generator<Conversion, R, TypedValue>;

/** Runs an algorithm to its end. Returns a promise only if the converter returns one. */
export function runSteps<R>(steps: Steps<R>, converter: Converter): MaybePromise<R> {
  let step = steps.next();
  while (step.done !== true) {
    const converted = convertFor(converter, step.value);
    if (isPromise(converted)) return finishSteps(steps, converter, converted);
    step = steps.next(converted);
  }
  return step.value;
}

function convertFor(converter: Converter, { object, apiVersion, purpose }: Conversion): MaybePromise<TypedValue> {
  return converter.convert(object, apiVersion, purpose);
}

async function finishSteps<R>(steps: Steps<R>, converter: Converter, first: Promise<TypedValue>): Promise<R> {
  let step = steps.next(await first);
  while (step.done !== true) step = steps.next(await convertFor(converter, step.value));
  return step.value;
}
