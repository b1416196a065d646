/** Encryption of stored values by `--encryption-provider-config`, around any storage. */
import type { Clock, Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { StoredForms } from '../server/registry/stored-forms.ts';
import { Encryption, type EncryptionRules } from '../storage/encryption/encryption.ts';
import type { CreateProvider } from '../storage/encryption/provider.ts';
import { parseEncryptionConfig } from './encryption-config.ts';
import { etcdKeyOf } from './etcd-keys.ts';

/** `forms` must be bound before a value is transformed. `prefix` is that of the keys in etcd. */
export function createEncryption(rules: EncryptionRules, forms: StoredForms, prefix: string): Encryption {
  return new Encryption({
    rules,
    resourceOf: (key) => forms.groupResourceOf(key),
    // The path is authenticated with the value, so a value can be moved between an embedded store and etcd.
    pathOf: (key) => etcdKeyOf(key, prefix),
  });
}

export interface ReloadOptions {
  readonly encryption: Encryption;
  readonly create: CreateProvider;
  readonly path: string;
  /** The text that is in use. */
  readonly text: string;
  /** Returns undefined if the file does not exist. */
  readonly readFile: (path: string) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The reference looks at the file once a minute, too, in case it misses a notification. */
const INTERVAL_MS = 60_000;

/** Reads the file at intervals and uses its new rules. A file that is invalid changes nothing and is logged. */
export function startEncryptionReload(options: ReloadOptions): Stoppable {
  const { encryption, create, path, readFile, clock, logger } = options;
  let current = options.text;
  let timer: Timer | undefined;
  let stopped = false;
  const reload = async (): Promise<void> => {
    try {
      const next = await readFile(path);
      if (next === undefined || next === current) return;
      encryption.setRules(parseEncryptionConfig({ path, text: next }, create));
      current = next;
      logger.info('uses the changed encryption configuration', { path });
    } catch (caught) {
      logger.error('cannot use the changed encryption configuration; the present one stays in use', toError(caught));
    }
  };
  const schedule = (): void => {
    if (!stopped) timer = clock.setTimer(INTERVAL_MS, () => void reload().finally(schedule), { background: true });
  };
  schedule();
  const stop = async (): Promise<void> => {
    stopped = true;
    timer?.cancel();
  };
  return { stop, [Symbol.asyncDispose]: stop };
}
