/**
 * Objects of one version of a custom resource as another. Invariant: a converter belongs to one generation of one definition and never changes; another strategy,
 * another webhook or other field rules make another converter.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Crd } from '../crd.ts';

export interface Converter {
  /**
   * The objects, all of version `from` (`v1beta1`, without the group), as version `to`, in their order, with apiVersion and kind set. The two versions differ and
   * both are in the definition, served or not. The objects belong to the converter, which may change and return them; they hold their resourceVersion. What it
   * returns belongs to the caller, who prunes it and fills in defaults of `to`. Synchronous where it can be.
   *
   * Throws, or rejects with, a StatusError for what the client is to be told; identity (name, namespace, uid) that does not survive is such an error.
   */
  convert(objects: readonly JsonObject[], from: string, to: string): MaybePromise<readonly JsonObject[]>;
  /** The definition was changed or is gone: nothing is converted from now on, but what is under way may end. Absent: nothing to let go. */
  stop?(): void;
}

/** Called once for each generation of a definition, when something is first converted. Undefined: strategy None, versions differ in their type fields alone. */
export type ConverterFactory = (crd: Crd) => Converter | undefined;

/** Strategy None. */
export const NO_CONVERTER: ConverterFactory = () => undefined;
