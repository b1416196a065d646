/** Views of kubectl's output that may contain kinds of other scripts, or the server's own words. */
import { isBuiltInVersion } from '../diff/views.ts';

function filterLines(text: string, keep: (line: string, index: number) => boolean): string {
  return text.split('\n').filter(keep).join('\n');
}

/** Keeps the header and the built-in kinds of `api-resources`, in any wide form. */
export function builtInKinds(text: string): string {
  return filterLines(text, (line, index) => {
    if ((index === 0 && line.startsWith('NAME')) || line === '') return true;
    const version = line.split(/\s+/).find((word) => /^(?:[a-z][\w.-]*\/)?v\d+(?:(?:alpha|beta)\d+)?$/.test(word));
    return version !== undefined && isBuiltInVersion(version);
  });
}

/** Keeps the built-in names of `api-resources -o name`, such as `deployments.apps`. */
export function builtInNames(text: string): string {
  return filterLines(
    text,
    (line) => line === '' || isBuiltInVersion(`${line.split('.').slice(1).join('.')}/v1`.replace(/^\//, '')),
  );
}

/** Keeps the built-in versions of `api-versions`. */
export function builtInVersions(text: string): string {
  return filterLines(text, (line) => line === '' || isBuiltInVersion(line));
}

/** Keeps group, kind, version, and each field with its type of `explain`. The descriptions are our own words. */
export function structure(text: string): string {
  return filterLines(
    text,
    (line) => /^(GROUP|KIND|VERSION|FIELD|RESOURCE):/.test(line) || /^ *\S+\t<[^>]*>/.test(line),
  );
}

/** Sorts lines that the reference prints in the order of a hash table. */
export function sortedLines(text: string): string {
  return text.split('\n').sort().join('\n');
}

/** Returns JSON with sorted keys. */
export function sortedJson(text: string): string {
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sort);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sort(child)]));
  };
  return JSON.stringify(sort(JSON.parse(text)), undefined, 1);
}

/** Keeps the requests and answers in the output of `-v 6`, without lines about configuration and features. */
export function requestLines(text: string): string {
  return filterLines(text, (line) => /verb="|^(GET|POST|PUT|PATCH|DELETE) /.test(line));
}
