/** All kinds of the sequences. A kind that is listed twice is chosen twice as often. */
import type { Subject } from './subject.ts';
import { CUSTOM } from './subjects/custom.ts';
import { NETWORK } from './subjects/network.ts';
import { OBJECTS } from './subjects/objects.ts';
import { PODS } from './subjects/pods.ts';

export const SUBJECTS: readonly Subject[] = [...CUSTOM, ...CUSTOM, ...CUSTOM, ...OBJECTS, ...NETWORK, ...PODS, ...PODS];
