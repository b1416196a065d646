/** All scripts, in the order of the report. A new one is added only here. */
import type { Script } from './script.ts';
import { access } from './scripts/access.ts';
import { customExplain, customGet, customOffers } from './scripts/custom-read.ts';
import { customAutoscale, customDefine, customRemove, customWrite } from './scripts/custom-write.ts';
import { kindsChange } from './scripts/kinds-change.ts';
import { kindsCreate } from './scripts/kinds-create.ts';
import { kindsNodes } from './scripts/kinds-nodes.ts';
import { kindsExplain, kindsRead } from './scripts/kinds-read.ts';
import { kindsRollout } from './scripts/kinds-rollout.ts';
import { describeScript, explain, get, offers, watchScript } from './scripts/read.ts';
import { remove, waiting } from './scripts/remove.ts';
import { seeds } from './scripts/seeds.ts';
import { serverSide } from './scripts/server-side.ts';
import { apply, change, create } from './scripts/write.ts';

export const SCRIPTS: readonly Script[] = [
  get,
  watchScript,
  describeScript,
  explain,
  offers,
  create,
  apply,
  serverSide,
  change,
  remove,
  waiting,
  access,
  customGet,
  customExplain,
  customOffers,
  customDefine,
  customWrite,
  customRemove,
  customAutoscale,
  seeds,
  kindsCreate,
  kindsChange,
  kindsRollout,
  kindsNodes,
  kindsRead,
  kindsExplain,
];
