/** The names and paths of hooks. Invariant: no two hooks of a program have the same path. */
import { ConfigError } from '../base/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import type { AdmissionHook, ConversionHook } from './hooks.ts';
import type { Webhooks } from './webhook-server.ts';

/** Returns the name of a hook, which is unique among the hooks of its type. */
export function hookName({ kind, options }: AdmissionHook): string {
  return options.name ?? resourceName(kind);
}

function resourceName({ group, plural }: Kind<unknown>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Returns `/mutate/pods`, `/validate/deployments.apps` or `/convert/widgets.example.com`. */
export function hookPath(hook: AdmissionHook | ConversionHook): string {
  return `/${hook.type}/${hook.type === 'convert' ? resourceName(hook.hub) : hookName(hook)}`;
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Returns the hooks by path. Throws ConfigError for names that the API server would refuse, and for equal paths. */
export function hooksByPath(webhooks: Webhooks): ReadonlyMap<string, AdmissionHook | ConversionHook> {
  const { name, mutate = [], validate = [], convert = [] } = webhooks;
  if (!NAME.test(name) || !name.includes('.'))
    throw new ConfigError(`name: ${JSON.stringify(name)} is not a DNS name with a dot, such as guard.example.com`);
  const paths = new Map<string, AdmissionHook | ConversionHook>();
  for (const hook of [...mutate, ...validate, ...convert]) {
    const path = hookPath(hook);
    if (hook.type !== 'convert' && !NAME.test(hookName(hook)))
      throw new ConfigError(`the name of a hook, ${JSON.stringify(hookName(hook))}, is not a DNS name`);
    if (paths.has(path)) throw new ConfigError(`two hooks have the path ${path}: set the option name of one of them`);
    paths.set(path, hook);
  }
  if (paths.size === 0) throw new ConfigError('set at least one of mutate, validate and convert');
  return paths;
}
