/**
 * The command line of the server, parsed to options. Invariants: a command line that kube-apiserver accepts is
 * accepted, or refused with a sentence that says what is not supported; flags that have no effect here are returned as
 * `ignoredFlags`.
 */
import { ConfigError } from '../base/errors.ts';
import { defaultOptions, mergeOptions } from '../controlplane/options.ts';
import { reportedVersionProblem } from '../server/version-info.ts';
import { unusedGates } from './feature-gates.ts';
import { type KnownFlags, parseFlags } from './flag-parser.ts';
import { FlagValues } from './flag-values.ts';
import { type FlagType, type ReferenceFlag, referenceFlags } from './reference-flags.ts';
import type { CommandOptions } from './server-flag.ts';
import { REFUSED_FLAGS, SERVER_FLAGS } from './server-flags.ts';
import { shownFlags } from './shown-flags.ts';

export interface ServerCommandLine {
  readonly options: CommandOptions;
  /** All flags with their values, for `/flagz`. Empty if nothing starts. */
  readonly flags: Readonly<Record<string, string>>;
  /** The given flags that have no effect here, as written: `--allow-privileged`. */
  readonly ignoredFlags: readonly string[];
  /** `--version`, `--version=raw` and `--help` end the command before anything starts. */
  readonly asksFor: 'help' | 'version' | 'raw-version' | undefined;
}

const DEFAULTS: CommandOptions = {
  server: defaultOptions,
  log: { format: 'auto', verbosity: 0 },
};
/** The data folder inside `--cert-dir`; see `withDataDir`. */
const DATA_IN_CERT_DIR = 'keelson';
/**
 * Flags without effect, with the value that describes what this server always does. With this value they do not count
 * as ignored.
 */
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
  if (given.has('help')) return { options: DEFAULTS, flags: {}, ignoredFlags: [], asksFor: 'help' };
  const version = versionFlag(given.get('version'));
  if (version.asksFor !== undefined)
    return { options: DEFAULTS, flags: {}, ignoredFlags: [], asksFor: version.asksFor };
  for (const [name, why] of Object.entries(REFUSED_FLAGS))
    if (given.has(name)) throw new ConfigError(`--${name}: ${why}`);
  let options = mergeOptions(DEFAULTS, { server: { reported: { version: version.reported } } });
  const effective = new Set<string>(['version']);
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
  const gates = given.get('feature-gates');
  if (gates !== undefined) ignoredFlags.push(...unusedGates(gates).map((name) => `--feature-gates=${name}`));
  if (!given.has('data-dir')) options = withDataDir(options);
  if (!given.has('storage') && options.server.etcd.servers.length > 0)
    options = mergeOptions(options, { server: { storage: 'etcd' } });
  return { options, flags: shownFlags(given, options.server.dataDir), ignoredFlags, asksFor: undefined };
}

/**
 * Moves the data folder into `--cert-dir` if `--etcd-servers` is set. kube-apiserver writes to no other folder, and a
 * caller such as envtest removes that folder afterwards. Two servers with the same working folder get separate data
 * folders in this way.
 */
function withDataDir(options: CommandOptions): CommandOptions {
  const { certDir } = options.server.serving;
  if (options.server.etcd.servers.length === 0 || certDir === '') return options;
  return mergeOptions(options, { server: { dataDir: `${certDir}/${DATA_IN_CERT_DIR}` } });
}

interface VersionFlag {
  readonly asksFor: 'version' | 'raw-version' | undefined;
  /** The version that the server reports; '' for its own. */
  readonly reported: string;
}

/**
 * Reads `--version` as kube-apiserver does (k8s.io/component-base/version/verflag): a boolean, `raw`, or a version to
 * report, which stays set if the flag is repeated. Throws ConfigError for a version of another release.
 */
function versionFlag(values: FlagValues | undefined): VersionFlag {
  let flag: VersionFlag = { asksFor: undefined, reported: '' };
  for (const text of values?.array() ?? []) {
    const one = new FlagValues('version', [text]);
    if (text === 'raw') flag = { ...flag, asksFor: 'raw-version' };
    else if (text.startsWith('v')) {
      const problem = reportedVersionProblem(text);
      if (problem !== undefined) throw one.refuse(problem);
      flag = { asksFor: undefined, reported: text };
    } else flag = { ...flag, asksFor: one.bool() ? 'version' : undefined };
  }
  return flag;
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

/** Throws ConfigError for a value that kube-apiserver refuses, although the flag has no effect here. */
function checkType(values: FlagValues, type: FlagType): void {
  if (type === 'bool') values.bool();
  else if (type === 'int' || type === 'Level') values.int();
  else if (type === 'float32') values.number();
  else if (type === 'duration') values.milliseconds();
  else if (type === 'ip') values.ip();
}
