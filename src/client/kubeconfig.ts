/**
 * Parses kubeconfig files by the rules of client-go (`tools/clientcmd`): if several files define an entry, the first
 * one is used, and paths are relative to the file that contains them. This module gets the texts of the files and reads
 * none itself.
 */
import { readYaml } from '../apimachinery/codec/yaml/yaml.ts';
import { ConfigError } from '../base/errors.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';

export interface KubeconfigFile {
  /** An absolute path, for messages and relative paths. */
  readonly path: string;
  readonly text: string;
}

/**
 * A value that is inline in a kubeconfig or in a file. `path` is relative to the folder of `base`, the path of the
 * kubeconfig.
 */
export type InlineOrFile =
  | { readonly kind: 'inline'; readonly base64: string }
  | { readonly kind: 'file'; readonly path: string; readonly base: string };

/** The command of a credential plugin. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly provideClusterInfo: boolean;
  readonly installHint: string;
  /** Whether the plugin must, may or must not read from the terminal. Default `IfAvailable`. */
  readonly interactiveMode: 'Always' | 'IfAvailable' | 'Never';
  /** The path of the kubeconfig. A command that contains a slash is relative to its folder. */
  readonly base: string;
}

export interface KubeconfigUser {
  readonly clientCertificate: InlineOrFile | undefined;
  readonly clientKey: InlineOrFile | undefined;
  readonly token: string | undefined;
  /** Takes precedence over `token`. */
  readonly tokenFile: InlineOrFile | undefined;
  readonly basic: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecPlugin | undefined;
  readonly impersonate: { readonly user: string; readonly groups: readonly string[]; readonly uid: string } | undefined;
}

export interface KubeconfigContext {
  readonly name: string;
  /** `https://127.0.0.1:6443`, without a slash at its end. */
  readonly server: string;
  /** The CA of the server. Undefined: the CAs that the system trusts. */
  readonly ca: InlineOrFile | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** The expected name in the certificate of the server. Undefined: the host of the URL. */
  readonly tlsServerName: string | undefined;
  /** The proxy, such as `http://proxy:3128`. Undefined: no proxy. */
  readonly proxyUrl: string | undefined;
  readonly user: KubeconfigUser;
  /** Default `default`. */
  readonly namespace: string;
}

/**
 * Returns the current context, or the named one. Throws ConfigError if a file is malformed, if the context, its cluster
 * or its user does not exist, or if it uses an unsupported feature.
 */
export function readKubeconfig(files: readonly KubeconfigFile[], wanted?: string): KubeconfigContext {
  const configs = files.map(parse);
  const name =
    wanted ?? configs.map(({ root }) => textOf(root, 'current-context')).find((text) => text !== undefined) ?? '';
  const where = files.map(({ path }) => path).join(', ');
  if (name === '')
    throw new ConfigError(`${where} has no current context: choose one with kubectl config use-context, or --context`);
  const context = find(configs, 'contexts', name, 'context');
  if (context === undefined) throw new ConfigError(`${where} has no context ${JSON.stringify(name)}`);
  const cluster = referred(configs, context, 'clusters', 'cluster');
  const user = referred(configs, context, 'users', 'user');
  const server = textOf(cluster.value, 'server') ?? '';
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new ConfigError(`${cluster.path}: the cluster ${JSON.stringify(cluster.name)} has no server with a URL`);
  return {
    name,
    server: server.replace(/\/+$/, ''),
    ca: inlineOrFile(cluster, 'certificate-authority'),
    insecureSkipTlsVerify: getField(cluster.value, 'insecure-skip-tls-verify') === true,
    tlsServerName: textOf(cluster.value, 'tls-server-name'),
    proxyUrl: proxyOf(cluster, server),
    user: userOf(user),
    namespace: textOf(context.value, 'namespace') ?? 'default',
  };
}

/** The users of a kubeconfig. */
export interface KubeconfigUsers {
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  /** The user of the current context; undefined if there is none. */
  readonly current: KubeconfigUser | undefined;
}

/**
 * Returns the users of a file, whether or not a context uses them. Throws ConfigError if the file is malformed, or if a
 * user uses an unsupported feature.
 */
export function readKubeconfigUsers(file: KubeconfigFile): KubeconfigUsers {
  const config = parse(file);
  const users = new Map<string, KubeconfigUser>();
  const entries = getField(config.root, 'users');
  for (const entry of Array.isArray(entries) ? entries : []) {
    const name = isJsonObject(entry) ? (textOf(entry, 'name') ?? '') : '';
    const found = find([config], 'users', name, 'user');
    if (found !== undefined && !users.has(name)) users.set(name, userOf(found));
  }
  const context = find([config], 'contexts', textOf(config.root, 'current-context') ?? '', 'context');
  return { users, current: users.get((context && textOf(context.value, 'user')) ?? '') };
}

function proxyOf({ value, path, name }: Entry, server: string): string | undefined {
  const url = textOf(value, 'proxy-url');
  if (url === undefined) return undefined;
  const problem = /^http:\/\/[^/]/.test(url)
    ? server.startsWith('https:')
      ? undefined
      : 'is not supported for a server without TLS'
    : 'is not supported: it must be an HTTP proxy, http://host:port';
  if (problem === undefined && URL.canParse(url)) return url;
  throw new ConfigError(`${path}: proxy-url of the cluster ${JSON.stringify(name)} ${problem ?? 'is not a URL'}`);
}

interface ParsedFile {
  readonly path: string;
  readonly root: JsonObject;
}

/** An entry of one of the lists, with the path of its file. */
interface Entry {
  readonly name: string;
  readonly path: string;
  readonly value: JsonObject;
}

function parse({ path, text }: KubeconfigFile): ParsedFile {
  const read = readYaml(text);
  if (!read.ok) throw new ConfigError(`cannot parse the kubeconfig ${path}: ${read.error.message}`);
  if (read.value !== null && !isJsonObject(read.value)) throw new ConfigError(`${path} is not a kubeconfig`);
  return { path, root: read.value ?? {} };
}

function find(configs: readonly ParsedFile[], list: string, name: string, field: string): Entry | undefined {
  for (const { path, root } of configs) {
    const entries = getField(root, list);
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (!isJsonObject(entry) || getField(entry, 'name') !== name) continue;
      const value = getField(entry, field);
      return { name, path, value: isJsonObject(value) ? value : {} };
    }
  }
  return undefined;
}

function referred(configs: readonly ParsedFile[], context: Entry, list: string, field: string): Entry {
  const name = textOf(context.value, field) ?? '';
  const entry = find(configs, list, name, field);
  if (entry !== undefined) return entry;
  // As in client-go, a context without a user is anonymous.
  if (field === 'user' && name === '') return { name, path: context.path, value: {} };
  throw new ConfigError(
    `${context.path}: the context ${JSON.stringify(context.name)} names the ${field} ${JSON.stringify(name)}, which does not exist`,
  );
}

function userOf(entry: Entry): KubeconfigUser {
  const { value, path, name } = entry;
  if (getField(value, 'auth-provider') !== undefined)
    throw new ConfigError(`${path}: auth-provider of the user ${JSON.stringify(name)} is not supported; use exec`);
  const username = textOf(value, 'username');
  const impersonated = textOf(value, 'as');
  const tokenFile = textOf(value, 'tokenFile');
  const exec = getField(value, 'exec');
  return {
    clientCertificate: inlineOrFile(entry, 'client-certificate'),
    clientKey: inlineOrFile(entry, 'client-key'),
    token: textOf(value, 'token'),
    tokenFile: tokenFile === undefined ? undefined : { kind: 'file', path: tokenFile, base: path },
    basic: username === undefined ? undefined : { username, password: textOf(value, 'password') ?? '' },
    exec: isJsonObject(exec) ? execOf(exec, path) : undefined,
    impersonate:
      impersonated === undefined
        ? undefined
        : { user: impersonated, groups: textsOf(value, 'as-groups'), uid: textOf(value, 'as-uid') ?? '' },
  };
}

function execOf(exec: JsonObject, base: string): ExecPlugin {
  const mode = textOf(exec, 'interactiveMode') ?? 'IfAvailable';
  if (mode !== 'Always' && mode !== 'IfAvailable' && mode !== 'Never')
    throw new ConfigError(
      `${base}: the interactiveMode ${JSON.stringify(mode)} of a credential plugin is not one of Always, IfAvailable, Never`,
    );
  const env: Record<string, string> = {};
  const list = getField(exec, 'env');
  for (const item of Array.isArray(list) ? list : [])
    if (isJsonObject(item)) env[textOf(item, 'name') ?? ''] = textOf(item, 'value') ?? '';
  return {
    command: textOf(exec, 'command') ?? '',
    args: textsOf(exec, 'args'),
    env,
    apiVersion: textOf(exec, 'apiVersion') ?? 'client.authentication.k8s.io/v1',
    provideClusterInfo: getField(exec, 'provideClusterInfo') === true,
    installHint: textOf(exec, 'installHint') ?? '',
    interactiveMode: mode,
    base,
  };
}

/** Inline data takes precedence over a file. */
function inlineOrFile({ value, path: base }: Entry, name: string): InlineOrFile | undefined {
  const base64 = textOf(value, `${name}-data`);
  if (base64 !== undefined) return { kind: 'inline', base64 };
  const path = textOf(value, name);
  return path === undefined ? undefined : { kind: 'file', path, base };
}

/** Returns a string field; undefined if it is absent or empty. */
function textOf(object: JsonObject, name: string): string | undefined {
  const value = getField(object, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsOf(object: JsonObject, name: string): readonly string[] {
  const value: JsonValue | undefined = getField(object, name);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
