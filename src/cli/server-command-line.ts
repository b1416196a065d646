/**
 * The command line of the server, parsed to options. Invariants: a command line that kube-apiserver accepts is
 * accepted, or refused with a sentence that says what is not supported; flags that have no effect here are reported.
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
  /** The given flags that have no effect here, as written: `--allow-privileged`. */
  readonly ignoredFlags: readonly string[];
  /** `--version` and `--help` end the command before anything starts. */
  readonly asksFor: 'help' | 'version' | undefined;
}

const DEFAULTS: CommandOptions = { server: defaultOptions, log: { format: 'auto', verbosity: 0 } };
/** Values of flags without effect that ask for what this server always does. */
const SATISFIED_FLAGS: Readonly<Record<string, string>> = {
  'watch-cache': 'true',
  'audit-log-mode': 'blocking',
  'enable-garbage-collector': 'true',
  profiling: 'false',
};

/** Throws a ConfigError that names the flag for anything that is invalid or not supported. */
export function parseServerCommandLine(args: readonly string[]): ServerCommandLine {
  const reference = referenceFlags();
  const given = parseFlags(args, knownFlags(reference));
  if (given.has('help')) return { options: DEFAULTS, ignoredFlags: [], asksFor: 'help' };
  if (given.has('version')) return { options: DEFAULTS, ignoredFlags: [], asksFor: 'version' };
  for (const [name, why] of Object.entries(REFUSED_FLAGS))
    if (given.has(name)) throw new ConfigError(`--${name}: ${why}`);
  let options = DEFAULTS;
  const effective = new Set<string>();
  for (const flag of SERVER_FLAGS) {
    effective.add(flag.name);
    const values = given.get(flag.name);
    if (values !== undefined) options = mergeOptions(options, flag.read(values));
  }
  const ignoredFlags: string[] = [];
  for (const [name, values] of given) {
    if (effective.has(name)) continue;
    checkType(values, reference.get(name)?.type ?? 'string');
    if (SATISFIED_FLAGS[name] !== values.text()) ignoredFlags.push(`--${name}`);
  }
  return { options, ignoredFlags, asksFor: undefined };
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

/** A value that kube-apiserver refuses is an error even if the flag has no effect here. */
function checkType(values: FlagValues, type: FlagType): void {
  if (type === 'bool') values.bool();
  else if (type === 'int' || type === 'Level') values.int();
  else if (type === 'float32') values.number();
  else if (type === 'duration') values.milliseconds();
  else if (type === 'ip') values.ip();
}
