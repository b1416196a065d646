/** The type of an abort signal in public declarations. */

/**
 * AbortSignal. A program that compiles without the types of Node and of browsers has no type
 * of this name; there it is the part of it that this package uses.
 */
export type AbortSignalLike = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };
