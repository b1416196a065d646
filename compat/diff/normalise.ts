/**
 * The replacement of values that may differ between two correct servers: uids, times near now, revisions, tokens,
 * generated names, addresses. Invariant: equal values get equal placeholders within a case, numbered in order of
 * appearance, so that identity (the same uid twice) is still compared.
 */
import { Buffer } from 'node:buffer';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z| \+0000 UTC)/g;
const JWT = /\bey[\w-]{10,}\.(ey[\w-]{10,})\.[\w-]+/g;
const DAY = 86_400_000;
/** Sentences that quote a revision of the server, quoted objects, objects in YAML. */
const REVISION_IN_TEXT =
  /(\bcurrent: |ResourceVersion in (?:the precondition|record) \(|ResourceVersion in (?:precondition|object meta): |resourceVersion: "|"resourceVersion\\*":\\*")\d+/g;
const MANAGED_FIELDS_IN_YAML = /^ *managedFields:\n(?: *- .*\n(?: {4,}.*\n)*)+/gm;
/** An object inside a message, quoted as Go does. */
const QUOTED_OBJECT = /"(?:\{|\[)(?:[^"\\]|\\.)*"/g;
/** The characters of generated suffixes. */
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}';
/** Longer prefixes are cut before the suffix is added. */
const MAX_PREFIX = 58;

export interface NormaliserOptions {
  /**
   * Numbers the times in managedFields and keeps the order of the entries. Default false: entries are sorted, because
   * their order depends on whether a second passed between two writes.
   */
  readonly keepTimes?: boolean;
}

export interface Normaliser {
  /** Returns a JSON value with placeholders and sorted keys. */
  value(value: Json): Json;
  text(text: string): string;
  /** Names with this prefix and five random characters get a placeholder, wherever they occur. */
  expectGenerated(prefix: string): void;
}

/** Makes a normaliser for one server and case. `now` decides which times are the server's own. */
export function createNormaliser(url: string, now: number, options: NormaliserOptions = {}): Normaliser {
  const { keepTimes = false } = options;
  const places = new Map<string, string>();
  const counts = new Map<string, number>();
  const place = (kind: string, original: string): string => {
    const key = `${kind} ${original}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    places.set(key, `<${kind} ${number}>`);
    return `<${kind} ${number}>`;
  };
  const generated = new Map<string, RegExp>();

  const text = (original: string): string => {
    let result = original.replace(MANAGED_FIELDS_IN_YAML, sortYamlEntries).replace(QUOTED_OBJECT, sortQuoted);
    result = result.replaceAll(url, '<server>').replaceAll(url.slice('https://'.length), '<server>');
    result = result.replace(JWT, (whole, payload: string) => describeJwt(whole, payload));
    result = result.replace(UUID, (uid) => place('uid', uid));
    result = result.replace(TIME, (whole, date: string, clock: string, fraction: string | undefined, zone: string) => {
      const time = Date.parse(`${date}T${clock}Z`);
      if (time < now - DAY || time > now + 400 * DAY) return whole;
      return `<time${fraction === undefined ? '' : `.${fraction.length - 1}`}${zone === 'Z' ? '' : ' utc'}>`;
    });
    result = result.replace(REVISION_IN_TEXT, '$1<revision>').replace(/\?hash=[0-9A-F]{16,}/g, '?hash=<hash>');
    for (const [prefix, pattern] of generated)
      result = result.replace(pattern, (name) => `${prefix}${place('suffix', name)}`);
    return result;
  };

  const describeJwt = (token: string, payload: string): string => {
    const parse = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Json;
    try {
      const claims = parse(payload) as { [key: string]: Json };
      const { iat, exp, nbf } = claims as { iat?: number; exp?: number; nbf?: number };
      if (iat !== undefined && exp !== undefined) claims['exp'] = `iat + ${exp - iat}`;
      if (iat !== undefined && nbf !== undefined) claims['nbf'] = `iat + ${nbf - iat}`;
      if (iat !== undefined) claims['iat'] = '<now>';
      const { warnafter } = (claims['kubernetes.io'] ?? {}) as { warnafter?: number };
      if (iat !== undefined && warnafter !== undefined)
        (claims['kubernetes.io'] as { [key: string]: Json })['warnafter'] = `iat + ${warnafter - iat}`;
      return `<jwt ${JSON.stringify(walk(parse(token.split('.')[0] as string), ''))} ${JSON.stringify(walk(claims, ''))}>`;
    } catch {
      return token;
    }
  };

  const walk = (value: Json, key: string, inBookmark = false): Json => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, key, inBookmark));
    if (value === null || typeof value !== 'object') return value;
    const bookmark = inBookmark || value['type'] === 'BOOKMARK';
    const isList =
      Array.isArray(value['items']) || Array.isArray(value['rows']) || String(value['kind']).endsWith('List');
    const result: { [key: string]: Json } = {};
    for (const name of Object.keys(value).sort()) {
      // Descriptions of columns are our own words.
      if (name === 'description' && key === 'columnDefinitions') continue;
      const child = value[name] as Json;
      if (name === 'metadata' && isObject(child)) result[name] = walkMetadata(child, isList, bookmark);
      else if (name === 'managedFields' && key === 'metadata' && Array.isArray(child))
        result[name] = walkEntries(child);
      else result[name] = walk(child, name, bookmark);
    }
    return result;
  };

  const walkMetadata = (metadata: { [key: string]: Json }, isList: boolean, bookmark: boolean): Json => {
    const { resourceVersion, continue: token, ...rest } = metadata;
    const result = walk(rest, 'metadata', bookmark) as { [key: string]: Json };
    if (resourceVersion !== undefined) {
      const own = typeof resourceVersion === 'string' && /^[1-9]\d*$/.test(resourceVersion);
      if (!own) result['resourceVersion'] = resourceVersion;
      else if (isList || bookmark) result['resourceVersion'] = isList ? '<list revision>' : '<bookmark revision>';
      else result['resourceVersion'] = place('revision', resourceVersion);
    }
    if (token !== undefined) result['continue'] = token === '' ? '' : '<continue>';
    return result;
  };

  const walkEntries = (entries: readonly Json[]): Json => {
    const plain = entries.map((entry): Json => {
      if (!isObject(entry)) return entry;
      const { time, fieldsV1, ...rest } = entry;
      const isNumbered = keepTimes && typeof time === 'string' && text(time) !== time;
      return {
        ...(walk(rest, '') as { [key: string]: Json }),
        ...(fieldsV1 === undefined ? {} : { fieldsV1: walkFields(fieldsV1) }),
        ...(time === undefined ? {} : { time: isNumbered ? place('time', time) : walk(time, '') }),
      };
    });
    const identity = (entry: Json): string =>
      isObject(entry)
        ? JSON.stringify([entry['manager'], entry['operation'], entry['subresource'], entry['apiVersion']])
        : '';
    return keepTimes ? plain : plain.sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
  };

  /** The keys of FieldsV1 contain values of the object. */
  const walkFields = (fields: Json): Json => {
    if (!isObject(fields)) return fields;
    const entries = Object.entries(fields).map(([key, child]): [string, Json] => [text(key), walkFields(child)]);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  return {
    value: (value) => walk(value, ''),
    text,
    expectGenerated(prefix) {
      const cut = prefix.slice(0, MAX_PREFIX);
      generated.set(cut, new RegExp(`\\b${cut.replace(/[^\w-]/g, '\\$&')}${SUFFIX}\\b`, 'g'));
    },
  };
}

/** Sorts the entries of managedFields by their text, without the times, which `text` replaces. */
function sortYamlEntries(block: string): string {
  const [head, ...lines] = block.split('\n');
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? '';
  const entries = lines
    .join('\n')
    .split(new RegExp(`^(?=${indent}- )`, 'm'))
    .filter((entry) => entry !== '');
  const key = (entry: string): string => entry.replace(/^ *time: .*\n/m, '');
  return [head, entries.sort((a, b) => (key(a) < key(b) ? -1 : 1)).join('')].join('\n');
}

/**
 * Returns the quoted object with sorted keys, without the revision. Returns the quotation unchanged if it is not an
 * object.
 */
function sortQuoted(quoted: string): string {
  try {
    return JSON.stringify(sortKeys(JSON.parse(JSON.parse(quoted) as string) as Json));
  } catch {
    return quoted;
  }
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const kept = Object.keys(value).filter((key) => key !== 'resourceVersion');
  return Object.fromEntries(kept.sort().map((key) => [key, sortKeys(value[key] as Json)]));
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
