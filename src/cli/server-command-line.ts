/**
 * A server's command line as options. Invariant: a line that kube-apiserver would accept is accepted, or refused with a sentence that says what is missing here;
 * flags without a meaning here are named, so that nobody believes in them.
 */
import { ConfigError } from '../base/errors.ts';
import { defaultOptions, mergeOptions } from '../controlplane/options.ts';
import { type KnownFlags, parseFlags } from './flag-parser.ts';
import type { FlagValues } from './flag-values.ts';
import { type FlagType, type ReferenceFlag, referenceFlags } from './reference-flags.ts';
import type { CommandOptions } from './server-flag.ts';
import { REFUSED_FLAGS, SERVER_FLAGS } from './server-flags.ts';

export interface ServerCommandLine {
  readonly options: CommandOptions;
  /** Flags that were given and do nothing here, as they are written: `--allow-privileged`. */
  readonly withoutMeaning: readonly string[];
  /** `--version` and `--help` end the command before anything starts. */
  readonly asksFor: 'help' | 'version' | undefined;
}

const DEFAULTS: CommandOptions = { server: defaultOptions, log: { format: 'auto', verbosity: 0 } };
/** Said in this way they ask for what is always so here. */
const ALWAYS_SO: Readonly<Record<string, string>> = {
  'watch-cache': 'true',
  'audit-log-mode': 'blocking',
  'enable-garbage-collector': 'true',
  profiling: 'false',
};

/** Throws ConfigError, in one sentence that names the flag, for anything that cannot be used. */
export function parseServerCommandLine(args: readonly string[]): ServerCommandLine {
  const reference = referenceFlags();
  const given = parseFlags(args, knownFlags(reference));
  if (given.has('help')) return { options: DEFAULTS, withoutMeaning: [], asksFor: 'help' };
  if (given.has('version')) return { options: DEFAULTS, withoutMeaning: [], asksFor: 'version' };
  for (const [name, why] of Object.entries(REFUSED_FLAGS))
    if (given.has(name)) throw new ConfigError(`--${name}: ${why}`);
  let options = DEFAULTS;
  const meant = new Set<string>();
  for (const flag of SERVER_FLAGS) {
    meant.add(flag.name);
    const values = given.get(flag.name);
    if (values !== undefined) options = mergeOptions(options, flag.read(values));
  }
  const withoutMeaning: string[] = [];
  for (const [name, values] of given) {
    if (meant.has(name)) continue;
    checkType(values, reference.get(name)?.type ?? 'string');
    if (ALWAYS_SO[name] !== values.text()) withoutMeaning.push(`--${name}`);
  }
  return { options, withoutMeaning, asksFor: undefined };
}

function knownFlags(reference: ReadonlyMap<string, ReferenceFlag>): KnownFlags {
  const types = new Map<string, FlagType>([
    ['help', 'bool'],
    ['version', 'bool'],
  ]);
  for (const { name, type } of reference.values()) types.set(name, type);
  for (const { name, type } of SERVER_FLAGS) types.set(name, type);
  return {
    takesValue: (name) => {
      const type = types.get(name);
      return type === undefined ? undefined : type !== 'bool';
    },
    names: () => types.keys(),
    shorthand: (letter) => ({ v: 'v', h: 'help' })[letter],
  };
}

/** A value that the reference would not take is a mistake even where it means nothing. */
function checkType(values: FlagValues, type: FlagType): void {
  if (type === 'bool') values.bool();
  else if (type === 'int' || type === 'Level') values.int();
  else if (type === 'float32') values.number();
  else if (type === 'duration') values.milliseconds();
  else if (type === 'ip') values.ip();
}
