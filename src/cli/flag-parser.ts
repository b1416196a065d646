/**
 * The parser of command lines, with the syntax of pflag: `--name=value`, `--name value`, `--switch`, `-v 4`. Throws
 * ConfigError for an unknown flag, with a suggestion, and for a flag without its value.
 */
import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { FlagValues } from './flag-values.ts';

export interface KnownFlags {
  /** Returns true for a flag that takes a value, false for a boolean flag, undefined if there is no such flag. */
  takesValue(name: string): boolean | undefined;
  names(): Iterable<string>;
  /** Returns the long name of a one-letter flag such as `v`; undefined if there is none. */
  shorthand(letter: string): string | undefined;
}

/** Returns the flags in the order in which they first occur. Throws ConfigError for an argument that is not a flag. */
export function parseFlags(args: readonly string[], known: KnownFlags): ReadonlyMap<string, FlagValues> {
  const values = new Map<string, string[]>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const flag = split(arg, known);
    if (flag === undefined)
      throw new ConfigError(`${JSON.stringify(arg)} is neither a flag nor a command; keelson --help lists both`);
    const takesValue = known.takesValue(flag.name);
    if (takesValue === undefined) throw unknownFlag(flag.shown, known);
    let { value } = flag;
    if (value === undefined && !takesValue) value = 'true';
    if (value === undefined) {
      value = args[++i];
      if (value === undefined) throw new ConfigError(`${flag.shown} needs a value: ${flag.shown}=VALUE`);
    }
    values.set(flag.name, [...(values.get(flag.name) ?? []), value]);
  }
  return new Map([...values].map(([name, all]) => [name, new FlagValues(name, all)]));
}

interface SplitFlag {
  readonly name: string;
  readonly shown: string;
  readonly value: string | undefined;
}

function split(arg: string, known: KnownFlags): SplitFlag | undefined {
  if (arg === '-' || arg === '--' || !arg.startsWith('-')) return undefined;
  const equals = arg.indexOf('=');
  const value = equals < 0 ? undefined : arg.slice(equals + 1);
  if (arg.startsWith('--')) {
    const shown = equals < 0 ? arg : arg.slice(0, equals);
    // kube-apiserver accepts underscores as well.
    return { name: shown.slice(2).replaceAll('_', '-'), shown, value };
  }
  const shown = arg.slice(0, 2);
  const name = known.shorthand(arg.charAt(1)) ?? '';
  return { name, shown, value: value ?? (arg.length > 2 ? arg.slice(2) : undefined) };
}

function unknownFlag(shown: string, known: KnownFlags): ConfigError {
  const nearest = nearestName(shown.replace(/^-+/, '').replaceAll('_', '-'), known.names());
  const hint = nearest === undefined ? 'keelson --help lists the flags' : `did you mean --${nearest}?`;
  return new ConfigError(`unknown flag ${shown}: ${hint}`);
}
