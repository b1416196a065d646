/**
 * The value of `--controllers`: which loops run. Rules of kube-controller-manager: `*` stands for all, `name` turns one
 * on, `-name` turns one off, and the first mention of a name decides. Invariant: a name that is not mentioned runs
 * exactly if `*` is in the list.
 */
import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { CONTROLLER_ALIASES } from './controller-names.ts';

/** Whether a loop runs, by its name. */
export type LoopSelection = (name: string) => boolean;

/**
 * `available` are the names of the loops that exist here. Throws ConfigError for a name that kube-controller-manager
 * does not know, and for a loop that is turned on although it does not exist here. Turning such a loop off is allowed.
 */
export function selectLoops(given: readonly string[], available: readonly string[]): LoopSelection {
  const decided = new Map<string, boolean>();
  let others = false;
  for (const text of given) {
    if (text === '*') {
      others = true;
      continue;
    }
    const on = !text.startsWith('-');
    const name = canonicalName(on ? text : text.slice(1), available);
    if (on && !available.includes(name))
      throw new ConfigError(`--controllers: this server has no ${name}; it has ${available.join(', ')}`);
    if (!decided.has(name)) decided.set(name, on);
  }
  return (name) => decided.get(name) ?? others;
}

function canonicalName(text: string, available: readonly string[]): string {
  if (CONTROLLER_ALIASES.has(text)) return text;
  for (const [name, aliases] of CONTROLLER_ALIASES) if (aliases.includes(text)) return name;
  const nearest = nearestName(text, [...CONTROLLER_ALIASES.keys()]);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  throw new ConfigError(
    `--controllers: ${JSON.stringify(text)} is not the name of a controller${hint}; this server has ${available.join(', ')}`,
  );
}
