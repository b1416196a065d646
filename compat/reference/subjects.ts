import { celSubjects } from './cel-subjects.ts';
import { codecSubjects } from './codec-subjects.ts';
import { patchSubjects } from './patch-subjects.ts';
import { scalarSubjects } from './scalar-subjects.ts';
import { schemaSubjects } from './schema-subjects.ts';
import type { Subject } from './subject.ts';
import { textSubjects } from './text-subjects.ts';
import { trustSubjects } from './trust-subjects.ts';

export const subjects: readonly Subject[] = [
  ...scalarSubjects,
  ...textSubjects,
  ...patchSubjects,
  ...codecSubjects,
  ...schemaSubjects,
  ...celSubjects,
  ...trustSubjects,
];
