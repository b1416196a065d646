/** The type of an abort signal in public declarations. */

/**
 * AbortSignal, if the program has a type of that name from Node or from browsers. Otherwise the members of AbortSignal
 * that this package uses.
 */
export type AbortSignalLike = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };
