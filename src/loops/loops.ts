/** The table of loops, in the order in which they start. */
import type { LoopDefinition } from './loop.ts';

export const LOOPS: readonly LoopDefinition[] = [];
