/** Checks the names and types of options that a program passes, because TypeScript checks them only at compile time. */
import { nearestName } from '../base/nearest-name.ts';

/** The allowed values of options by their full name; for a list, those of its items. */
export type OptionChoices = Readonly<Record<string, readonly string[]>>;

/**
 * Returns a sentence about the first option that does not exist in `known`, or whose type differs from its value there;
 * undefined if there is none. An option that is undefined counts as absent.
 */
export function optionProblem(given: unknown, known: unknown, choices: OptionChoices, prefix = ''): string | undefined {
  const name = prefix.replace(/\.$/, '');
  if (Array.isArray(known))
    return Array.isArray(given) ? choiceProblem(name, given, choices) : wrong(name, 'a list', given);
  if (typeof known !== 'object' || known === null) {
    if (typeof given !== typeof known) return wrong(name, `a ${typeof known}`, given);
    return choiceProblem(name, [given], choices);
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return wrong(name, 'an object', given);
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, key)) return unknownOption(key, Object.keys(known), prefix);
    if (value === undefined) continue;
    const problem = optionProblem(value, (known as Record<string, unknown>)[key], choices, `${prefix}${key}.`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns the sentence about an unknown name. `prefix` is the path of the options that contain it. */
export function unknownOption(name: string, known: readonly string[], prefix = ''): string {
  const nearest = nearestName(name, known);
  return `unknown option ${prefix}${name}${nearest === undefined ? '' : `: did you mean ${prefix}${nearest}?`}`;
}

function choiceProblem(name: string, values: readonly unknown[], choices: OptionChoices): string | undefined {
  const allowed = choices[name];
  const other = allowed === undefined ? undefined : values.find((value) => !allowed.includes(value as string));
  return other === undefined ? undefined : `option ${name}: ${shown(other)} is not one of ${allowed?.join(', ')}`;
}

function wrong(name: string, expected: string, value: unknown): string {
  return `${name === '' ? 'the options' : `option ${name}`} must be ${expected}, not ${shown(value)}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
