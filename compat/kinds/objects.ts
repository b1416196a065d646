/** All kinds of the run, by group. */
import { APPS } from './objects/apps.ts';
import { CLUSTER } from './objects/cluster.ts';
import { CORE } from './objects/core.ts';
import { EXTENSION } from './objects/extension.ts';
import { NETWORK } from './objects/network.ts';
import { OPTIONAL } from './objects/optional.ts';
import { REVIEWS } from './objects/reviews.ts';
import { STORAGE } from './objects/storage.ts';
import type { Subject } from './subject.ts';

/** Stable kinds first, then those that `--runtime-config` enables. */
export const SUBJECTS: readonly Subject[] = [
  ...CORE,
  ...APPS,
  ...NETWORK,
  ...STORAGE,
  ...CLUSTER,
  ...EXTENSION,
  ...REVIEWS,
  ...OPTIONAL,
];
