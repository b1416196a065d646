/** What a flag of the server is, and how a table of them is written. */
import type { PartialOptions, ServerOptions } from '../controlplane/options.ts';
import type { FlagValues } from './flag-values.ts';
import type { FlagType } from './reference-flags.ts';

export interface LogOptions {
  /** `auto`: text on a terminal, JSON otherwise. */
  readonly format: 'auto' | 'text' | 'json';
  /** klog's number; debug lines from 2 on. */
  readonly verbosity: number;
}

/** All that a command line can say. */
export interface CommandOptions {
  readonly server: ServerOptions;
  readonly log: LogOptions;
}

export interface ServerFlag {
  readonly name: string;
  readonly group: string;
  readonly type: FlagType;
  /** One line, the default included. */
  readonly help: string;
  read(values: FlagValues): PartialOptions<CommandOptions>;
}

export type Effect<T> = (values: FlagValues) => PartialOptions<T>;

export function group(
  name: string,
  flags: readonly (readonly [name: string, type: FlagType, help: string, read: Effect<CommandOptions>])[],
): readonly ServerFlag[] {
  return flags.map(([flag, type, help, read]) => ({ name: flag, group: name, type, help, read }));
}

export function server(effect: Effect<ServerOptions>): Effect<CommandOptions> {
  return (values) => ({ server: effect(values) });
}

export function serving(effect: Effect<ServerOptions['serving']>): Effect<CommandOptions> {
  return server((values) => ({ serving: effect(values) }));
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

/** Whole ones: a part of a second counts as one. */
export function seconds(values: FlagValues): number {
  return Math.ceil(values.milliseconds() / 1000);
}
