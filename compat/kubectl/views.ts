/** What of kubectl's output is compared where the reference shows far more kinds, or words of its own. */
import { SERVED, SERVED_GROUPS } from '../diff/views.ts';

function filterLines(text: string, keep: (line: string, index: number) => boolean): string {
  return text.split('\n').filter(keep).join('\n');
}

/** `api-resources` in any wide form: the header and the kinds of ours. */
export function ourKinds(text: string): string {
  const versions = Object.keys(SERVED);
  return filterLines(text, (line, index) => {
    if ((index === 0 && line.startsWith('NAME')) || line === '') return true;
    const words = line.split(/\s+/);
    const version = words.find((word) => versions.includes(word));
    return version !== undefined && (SERVED[version] as readonly string[]).includes(words[0] as string);
  });
}

/** `api-resources -o name`. */
export function ourNames(text: string): string {
  const names = Object.entries(SERVED).flatMap(([version, resources]) =>
    resources.map((resource) => (version.includes('/') ? `${resource}.${version.split('/')[0]}` : resource)),
  );
  return filterLines(text, (line) => line === '' || names.includes(line));
}

/** `api-versions`. */
export function ourVersions(text: string): string {
  return filterLines(text, (line) => line === '' || line in SERVED || SERVED_GROUPS.includes(line));
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
