/** The table of loops, in the order in which they start. */
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import type { LoopDefinition } from './loop.ts';
import { namespaceLoop } from './namespace/namespace-loop.ts';

export const LOOPS: readonly LoopDefinition[] = [garbageCollector, namespaceLoop];
