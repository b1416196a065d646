/** What of kubectl's output is compared where other scripts define kinds at the same time, or words are the server's own. */
import { isBuiltInVersion } from '../diff/views.ts';

function filterLines(text: string, keep: (line: string, index: number) => boolean): string {
  return text.split('\n').filter(keep).join('\n');
}

/** `api-resources` in any wide form: the header and the built-in kinds. */
export function builtInKinds(text: string): string {
  return filterLines(text, (line, index) => {
    if ((index === 0 && line.startsWith('NAME')) || line === '') return true;
    const version = line.split(/\s+/).find((word) => /^(?:[a-z][\w.-]*\/)?v\d+(?:(?:alpha|beta)\d+)?$/.test(word));
    return version !== undefined && isBuiltInVersion(version);
  });
}

/** `api-resources -o name`: `deployments.apps`. */
export function builtInNames(text: string): string {
  return filterLines(
    text,
    (line) => line === '' || isBuiltInVersion(`${line.split('.').slice(1).join('.')}/v1`.replace(/^\//, '')),
  );
}

/** `api-versions`. */
export function builtInVersions(text: string): string {
  return filterLines(text, (line) => line === '' || isBuiltInVersion(line));
}

/** `explain`: group, kind, version, and each field with its type; the descriptions are our own words. */
export function structure(text: string): string {
  return filterLines(
    text,
    (line) => /^(GROUP|KIND|VERSION|FIELD|RESOURCE):/.test(line) || /^ *\S+\t<[^>]*>/.test(line),
  );
}

/** Lines whose order the reference takes from a hash table. */
export function sortedLines(text: string): string {
  return text.split('\n').sort().join('\n');
}

/** JSON with its keys sorted and without managedFields. */
export function sortedJson(text: string): string {
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sort);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([key]) => key !== 'managedFields');
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sort(child)]));
  };
  return JSON.stringify(sort(JSON.parse(text)), undefined, 1);
}

/** `-v 6`: requests with their answers, without what is logged about configuration and features. */
export function requestLines(text: string): string {
  return filterLines(text, (line) => /verb="|^(GET|POST|PUT|PATCH|DELETE) /.test(line));
}
