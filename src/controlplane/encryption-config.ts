/**
 * Parses the file of `--encryption-provider-config`: an EncryptionConfiguration of apiserver.config.k8s.io/v1. Rules
 * and messages are those of k8s.io/apiserver (apis/apiserver/validation/validation_encryption.go).
 */
import { decodeStrictJson, decodeStrictYaml } from '../apimachinery/codec/strict.ts';
import { FieldPath, formatPath } from '../apimachinery/validation/field-path.ts';
import { decodeBase64 } from '../base/base64.ts';
import { ConfigError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { ruleName } from '../storage/encryption/encryption.ts';
import {
  type CipherName,
  type EncryptionKey,
  IDENTITY,
  KEY_LENGTHS,
  type KmsProvider,
  type Provider,
  type ProviderFactory,
} from '../storage/encryption/provider.ts';
import type { NamedText } from './complete-options.ts';
import { readKmsSettings } from './kms-settings.ts';
import { ProviderSet } from './provider-set.ts';

const API_VERSIONS = ['apiserver.config.k8s.io/v1', 'v1'];
const KIND = 'EncryptionConfiguration';
const CIPHERS = Object.keys(KEY_LENGTHS) as readonly CipherName[];
const PROVIDERS: readonly string[] = [...CIPHERS, 'identity', 'kms'];
/** Resources of kube-apiserver's storage that are not API objects. */
const WITHOUT_API = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'];

/**
 * Creates the providers of a configuration and starts none of them. Throws ConfigError with every problem and its path.
 * The message does not contain secrets.
 */
export function parseEncryptionConfig({ text, path }: NamedText, factory: ProviderFactory): ProviderSet {
  const fail = (problem: string): never => {
    throw new ConfigError(`--encryption-provider-config: ${path}: ${problem}`);
  };
  const options = { fieldValidation: 'Strict' } as const;
  const read = text.trimStart().startsWith('{') ? decodeStrictJson(text, options) : decodeStrictYaml(text, options);
  if (!read.ok) return fail(read.error.message);
  const { value, problems } = read;
  if (problems.length > 0) return fail(problems.join('; '));
  if (!isJsonObject(value)) return fail('it is not an object');
  if (value['kind'] !== KIND || !API_VERSIONS.includes(String(value['apiVersion'])))
    return fail(`it is not an ${KIND} of apiserver.config.k8s.io/v1`);
  const config = new ConfigReader(factory);
  const rules = config.rules(value['resources']);
  if (config.problems.length > 0) return fail(config.problems.join('; '));
  return new ProviderSet(rules, config.kms);
}

interface Rule {
  readonly group: string;
  readonly resource: string;
}

/** Reads the configuration and collects its problems. */
class ConfigReader {
  readonly problems: string[] = [];
  /** KMS providers in the order of the configuration. */
  readonly kms: KmsProvider[] = [];
  readonly #factory: ProviderFactory;

  constructor(factory: ProviderFactory) {
    this.#factory = factory;
  }

  rules(value: JsonValue | undefined): ReadonlyMap<string, readonly Provider[]> {
    const rules = new Map<string, readonly Provider[]>();
    const configurations = this.#list(value, 'resources');
    for (const [i, configuration] of configurations.entries()) {
      const path = `resources[${i}]`;
      if (!isJsonObject(configuration)) {
        this.#add(path, 'must be an object');
        continue;
      }
      const resources = this.#resources(configuration['resources'], `${path}.resources`);
      const providers = this.#list(configuration['providers'], `${path}.providers`).flatMap(
        (provider, j) => this.#provider(provider, FieldPath.of('resources').index(i).child('providers').index(j)) ?? [],
      );
      for (const rule of resources) this.#addRule(rules, rule, providers, `${path}.resources`);
    }
    return rules;
  }

  /** Adds a rule. If an earlier list names the resource, the providers are added after those of the earlier list. */
  #addRule(
    rules: Map<string, readonly Provider[]>,
    { group, resource }: Rule,
    providers: readonly Provider[],
    path: string,
  ): void {
    const name = ruleName(group, resource);
    const known = rules.get(name);
    for (const wider of [ruleName(group, '*'), ruleName('*', '*')])
      if (known === undefined && rules.has(wider)) {
        this.#add(
          path,
          `resource ${JSON.stringify(shown(name))} is masked by earlier rule ${JSON.stringify(shown(wider))}`,
        );
        return;
      }
    rules.set(name, [...(known ?? []), ...providers]);
  }

  #resources(value: JsonValue | undefined, path: string): readonly Rule[] {
    const names = this.#list(value, path).map(String);
    const rules = names.flatMap((name, i) => {
      const problem = resourceProblem(name);
      if (problem === undefined) return [parseRule(name)];
      this.#add(`${path}[${i}]`, `${JSON.stringify(name)}: ${problem}`);
      return [];
    });
    if (new Set(names).size < names.length) this.#add(path, 'the same resource cannot be specified multiple times');
    if (overlaps(rules))
      this.#add(
        path,
        "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
      );
    return rules;
  }

  #provider(value: JsonValue, at: FieldPath): Provider | undefined {
    const path = formatPath(at);
    const names = isJsonObject(value) ? Object.keys(value).filter((name) => value[name] !== null) : [];
    const unknown = names.find((name) => !PROVIDERS.includes(name));
    const [name] = names;
    if (unknown !== undefined) return this.#add(path, `unknown provider ${JSON.stringify(unknown)}`);
    if (name === undefined) return this.#add(path, `must have one of ${PROVIDERS.join(', ')}`);
    if (names.length > 1)
      return this.#add(
        path,
        'more than one provider specified in a single element, should split into different list elements',
      );
    if (name === 'identity') return IDENTITY;
    const settings = (value as JsonObject)[name];
    if (name === 'kms') return this.#kmsProvider(settings, at.child('kms'));
    const cipher = name as CipherName;
    const keysPath = `${path}.${name}.keys`;
    const before = this.problems.length;
    const keys = this.#list(isJsonObject(settings) ? settings['keys'] : undefined, keysPath).flatMap(
      (key, i) => this.#key(key, `${keysPath}[${i}]`, KEY_LENGTHS[cipher]) ?? [],
    );
    return this.problems.length === before ? this.#factory.cipher(cipher, keys) : undefined;
  }

  #kmsProvider(value: JsonValue | undefined, path: FieldPath): Provider | undefined {
    const { settings, problems } = readKmsSettings(value, path, new Set(this.kms.map(({ name }) => name)));
    this.problems.push(...problems);
    if (settings === undefined) return undefined;
    const provider = this.#factory.kms(settings);
    this.kms.push(provider);
    return provider;
  }

  #key(value: JsonValue, path: string, lengths: readonly number[]): EncryptionKey | undefined {
    const { name, secret } = isJsonObject(value) ? value : {};
    if (typeof name !== 'string' || name === '') return this.#add(`${path}.name`, 'a name of the key is required');
    if (typeof secret !== 'string' || secret === '')
      return this.#add(`${path}.secret`, 'a secret of the key is required');
    const bytes = decodeBase64(secret);
    if (bytes === undefined) return this.#add(`${path}.secret`, 'secrets must be base64 encoded');
    if (!lengths.includes(bytes.byteLength))
      return this.#add(
        `${path}.secret`,
        `secret is not of the expected length, got ${bytes.byteLength}, expected one of [${lengths.join(' ')}]`,
      );
    return { name, secret: bytes };
  }

  #list(value: JsonValue | undefined, path: string): readonly JsonValue[] {
    if (Array.isArray(value) && value.length > 0) return value;
    this.#add(path, `at least one ${path} is required`);
    return [];
  }

  #add(path: string, problem: string): undefined {
    this.problems.push(`${path}: ${problem}`);
    return undefined;
  }
}

/** Splits a name at the first dot: `deployments.apps`. A name without a dot is in the core group. */
function parseRule(name: string): Rule {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

function resourceProblem(name: string): string | undefined {
  if (name !== name.toLowerCase()) return 'resource name should not contain capital letters';
  if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (WITHOUT_API.includes(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseRule(name);
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function overlaps(rules: readonly Rule[]): boolean {
  if (rules.length < 2) return false;
  return rules.some(
    ({ group, resource }, i) =>
      resource === '*' && (group === '*' || rules.some((other, j) => j !== i && other.group === group)),
  );
}

/** Returns the name as it is in the file: without the dot of the core group, except for the wildcard `*.`. */
function shown(name: string): string {
  return name.endsWith('.') && name !== '*.' ? name.slice(0, -1) : name;
}
