/**
 * The converter between the versions of a custom resource. Invariant: a converter belongs to one generation of one
 * definition and never changes. Another strategy, webhook or set of field rules makes another converter.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Converted } from '../../server/resource/converted.ts';
import type { Crd } from '../crd.ts';

export interface Converter {
  /**
   * Converts objects of version `from` (`v1beta1`, without the group) to version `to` and returns them in the same
   * order, with apiVersion and kind set. The two versions differ, and both are in the definition, served or not. The
   * converter owns the objects and may modify and return them; they have their resourceVersion. The caller owns the
   * result, prunes it and sets the defaults of `to`. Synchronous if it can be.
   *
   * An object that can never be converted has its StatusError as result. Throws, or rejects with, the StatusError of a
   * failure of the whole batch. A converter must report an object whose name, namespace or uid would change.
   */
  convert(objects: readonly JsonObject[], from: string, to: string): MaybePromise<readonly Converted[]>;
  /** True if conversion changes neither labels nor annotations. Default false. */
  readonly keepsMetadata?: boolean;
  /**
   * Reports whether there are valid objects that can never be converted between two versions. Default: there are none.
   */
  mayFail?(from: string, to: string): boolean;
  /**
   * Returns the rule that writes a field of `to`, for messages; undefined if the field is kept as it is. `steps` are
   * the names and indices of the path of the field. Default: unknown.
   */
  ruleOf?(steps: readonly string[], from: string, to: string): string | undefined;
  /**
   * Called when the definition has changed or is gone. No conversion starts afterwards; running ones may finish.
   * Default: nothing to release.
   */
  stop?(): void;
}

/**
 * Called once for each generation of a definition, on its first conversion. Returns undefined for strategy None:
 * versions differ only in apiVersion.
 */
export type ConverterFactory = (crd: Crd) => Converter | undefined;

/** Strategy None. */
export const NO_CONVERTER: ConverterFactory = () => undefined;
