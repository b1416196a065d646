/** All kinds of the run, by their groups. */
import { APPS } from './objects/apps.ts';
import { CORE } from './objects/core.ts';
import type { Subject } from './subject.ts';

export const SUBJECTS: readonly Subject[] = [...CORE, ...APPS];
