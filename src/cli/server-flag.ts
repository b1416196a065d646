/** The type of a server flag, and the helpers with which the tables of flags are written. */
import type { PartialOptions, ServerOptions } from '../controlplane/options.ts';
import type { FlagValues } from './flag-values.ts';
import type { FlagType } from './reference-flags.ts';

export interface LogOptions {
  /** `auto`: text on a terminal, JSON otherwise. */
  readonly format: 'auto' | 'text' | 'json';
  /** klog's verbosity. Debug lines are logged from 2. */
  readonly verbosity: number;
}

/** The options of a command line. */
export interface CommandOptions {
  readonly server: ServerOptions;
  readonly log: LogOptions;
}

export interface ServerFlag {
  readonly name: string;
  readonly group: string;
  readonly type: FlagType;
  /** One line, with the default. */
  readonly help: string;
  /** Returns the options that the flag sets. Called once, with all values, if the flag is given. Throws ConfigError. */
  read(values: FlagValues): PartialOptions<CommandOptions>;
}

/**
 * Returns the options that a flag sets in T, a part of the options. The functions below turn an effect on a part into
 * an effect on CommandOptions.
 */
export type Effect<T> = (values: FlagValues) => PartialOptions<T>;

/** A row of a table of flags. */
export type FlagRow = readonly [name: string, type: FlagType, help: string, read: Effect<CommandOptions>];

/** Returns rows of a table as flags of one group of the help. */
export function group(name: string, flags: readonly FlagRow[]): readonly ServerFlag[] {
  return flags.map(([flag, type, help, read]) => ({ name: flag, group: name, type, help, read }));
}

export function server(effect: Effect<ServerOptions>): Effect<CommandOptions> {
  return (values) => ({ server: effect(values) });
}

export function serving(effect: Effect<ServerOptions['serving']>): Effect<CommandOptions> {
  return server((values) => ({ serving: effect(values) }));
}

export function etcd(effect: Effect<ServerOptions['etcd']>): Effect<CommandOptions> {
  return server((values) => ({ etcd: effect(values) }));
}

export function limits(effect: Effect<ServerOptions['limits']>): Effect<CommandOptions> {
  return server((values) => ({ limits: effect(values) }));
}

export function authentication(effect: Effect<ServerOptions['authentication']>): Effect<CommandOptions> {
  return server((values) => ({ authentication: effect(values) }));
}

export function audit(effect: Effect<ServerOptions['audit']>): Effect<CommandOptions> {
  return server((values) => ({ audit: effect(values) }));
}

/** Returns whole seconds, rounded up. */
export function seconds(values: FlagValues): number {
  return Math.ceil(values.milliseconds() / 1000);
}

/** Throws ConfigError unless the value is more than zero. */
export function positive(values: FlagValues, value: number): number {
  if (value <= 0) throw values.refuse('must be more than zero');
  return value;
}
