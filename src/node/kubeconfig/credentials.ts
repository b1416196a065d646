/**
 * The credentials of a kubeconfig user. Files are read again when they may have changed, and a credential plugin is run
 * again before its credentials expire and after the server refused them.
 * Invariant: at most one reading or run is under way, and requests that need its result wait for it.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { KubeconfigContext } from '../../client/kubeconfig.ts';
import type { CredentialSource, Credentials, Trust } from '../client/server-transport.ts';
import { type PluginCredentials, runPlugin } from './exec-plugin.ts';
import { checkToken, readSource } from './read-source.ts';

/** The age at which files are read again; that of client-go for tokens. */
const FILE_AGE_MS = 60_000;
/** The time before its end at which a credential counts as expired. */
const EXPIRY_LEEWAY_MS = 10_000;
/** The least time between two runs of a plugin whose credentials the server refuses. */
const REFUSED_MS = 10_000;

export interface CredentialOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Called if credentials cannot be renewed while the old ones may still be valid. */
  readonly warn: (message: string) => void;
}

/** Reads the credentials for the first time. Throws ConfigError naming the file or the plugin that cannot be used. */
export async function openCredentials(
  context: KubeconfigContext,
  options: CredentialOptions,
): Promise<CredentialSource> {
  const credentials = new RotatingCredentials(context, options);
  await credentials.load();
  return credentials;
}

/** The texts of the files. */
interface FileTexts extends Trust {
  readonly token: string | undefined;
}

class RotatingCredentials implements CredentialSource {
  readonly #context: KubeconfigContext;
  readonly #options: CredentialOptions;
  readonly #stopped = new AbortController();
  readonly #hasFiles: boolean;
  #files: FileTexts | undefined;
  #plugin: PluginCredentials | undefined;
  /** Whether the server has refused the credentials of the plugin. */
  #isRefused = false;
  #current: Credentials | undefined;
  /** On the monotonic clock. */
  #filesReadAt = 0;
  #pluginRanAt = 0;
  #loading: Promise<Credentials> | undefined;

  constructor(context: KubeconfigContext, options: CredentialOptions) {
    this.#context = context;
    this.#options = options;
    const { clientCertificate, clientKey, tokenFile } = context.user;
    this.#hasFiles = [context.ca, clientCertificate, clientKey, tokenFile].some((source) => source?.kind === 'file');
  }

  current(): MaybePromise<Credentials> {
    const current = this.#current;
    if (current !== undefined && !this.#areFilesOld() && !this.#isPluginOld()) return current;
    return this.load();
  }

  async renew(used: Credentials): Promise<Credentials | undefined> {
    if (this.#current === used && this.#loading === undefined) {
      const { clock } = this.#options;
      if (this.#hasFiles) this.#filesReadAt = Number.NEGATIVE_INFINITY;
      this.#isRefused = this.#plugin !== undefined && clock.monotonic() - this.#pluginRanAt >= REFUSED_MS;
    }
    const renewed = await (this.#loading ?? this.current());
    return renewed === used ? undefined : renewed;
  }

  stop(): void {
    this.#stopped.abort();
  }

  load(): Promise<Credentials> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<Credentials> {
    const { clock } = this.#options;
    if (this.#files === undefined || this.#areFilesOld()) {
      this.#files = await this.#orKept(this.#readFiles(), this.#files);
      this.#filesReadAt = clock.monotonic();
    }
    const files = this.#files;
    const { exec, basic } = this.#context.user;
    const isComplete = files.clientCertificate !== undefined || files.token !== undefined || basic !== undefined;
    if (exec !== undefined && !isComplete && (this.#plugin === undefined || this.#isPluginOld())) {
      const { env } = this.#options;
      const { signal } = this.#stopped;
      const run = runPlugin({ plugin: exec, context: this.#context, caPem: files.caPem, env, signal });
      const kept = this.#isExpired() ? undefined : this.#plugin;
      this.#isRefused = false;
      this.#plugin = await this.#orKept(run, kept);
      this.#pluginRanAt = clock.monotonic();
    }
    this.#current = this.#merge(files, this.#plugin);
    return this.#current;
  }

  /** Reports a failure and returns the value before it, if there is one. */
  async #orKept<T>(next: Promise<T>, kept: T | undefined): Promise<T> {
    try {
      return await next;
    } catch (caught) {
      if (kept === undefined) throw caught;
      this.#options.warn(`the credentials of the context ${this.#context.name} stay: ${toError(caught).message}`);
      return kept;
    }
  }

  #areFilesOld(): boolean {
    return this.#hasFiles && this.#options.clock.monotonic() - this.#filesReadAt >= FILE_AGE_MS;
  }

  #isPluginOld(): boolean {
    if (this.#isRefused) return true;
    const expires = this.#plugin?.expires;
    return expires !== undefined && this.#options.clock.now() >= expires - EXPIRY_LEEWAY_MS;
  }

  #isExpired(): boolean {
    const expires = this.#plugin?.expires;
    return expires !== undefined && this.#options.clock.now() >= expires;
  }

  async #readFiles(): Promise<FileTexts> {
    const { name, ca, user } = this.#context;
    const caPem = ca === undefined ? '' : await readSource(ca);
    const cert = user.clientCertificate === undefined ? undefined : await readSource(user.clientCertificate);
    const key = user.clientKey === undefined ? undefined : await readSource(user.clientKey);
    if ((cert === undefined) !== (key === undefined))
      throw new ConfigError(`the context ${name} has a client certificate without its key, or a key without it`);
    const token = user.tokenFile === undefined ? user.token : (await readSource(user.tokenFile)).trim();
    if (token === '') throw new ConfigError(`the token file of the context ${name} is empty`);
    if (token !== undefined) checkToken(token, `the token of the context ${name}`);
    return { caPem, clientCertificate: cert === undefined || key === undefined ? undefined : { cert, key }, token };
  }

  /** Returns the current credentials if nothing has changed. */
  #merge(files: FileTexts, plugin: PluginCredentials | undefined): Credentials {
    const { user } = this.#context;
    const before = this.#current;
    const trust: Trust = {
      caPem: files.caPem,
      clientCertificate: files.clientCertificate ?? plugin?.clientCertificate,
    };
    const headers = {
      ...authorization(files.token ?? plugin?.token, user.basic),
      ...impersonation(user.impersonate),
    };
    const isSameTrust = before !== undefined && isSame(before.trust, trust);
    if (isSameTrust && before.headers['authorization'] === headers['authorization']) return before;
    return { trust: isSameTrust ? before.trust : trust, headers };
  }
}

function isSame(a: Trust, b: Trust): boolean {
  return (
    a.caPem === b.caPem &&
    a.clientCertificate?.cert === b.clientCertificate?.cert &&
    a.clientCertificate?.key === b.clientCertificate?.key
  );
}

function authorization(
  token: string | undefined,
  basic: KubeconfigContext['user']['basic'],
): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (basic === undefined) return {};
  return { authorization: `Basic ${encodeBase64(encodeUtf8(`${basic.username}:${basic.password}`))}` };
}

function impersonation(impersonate: KubeconfigContext['user']['impersonate']): HttpHeaders {
  if (impersonate === undefined) return {};
  const { user, groups, uid } = impersonate;
  return {
    'impersonate-user': user,
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
  };
}
