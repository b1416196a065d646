/** The report of a move of data: a table of resources and sentences, or JSON. */
import { ConfigError } from '../base/errors.ts';
import type { MoveResult } from '../controlplane/node/move/move-data.ts';
import { formatBytes } from './format-bytes.ts';

export type MoveFormat = 'table' | 'json';

/** Throws ConfigError for text that is not a format. */
export function parseMoveFormat(text: string): MoveFormat {
  if (text === 'table' || text === 'json') return text;
  throw new ConfigError(`--output: ${JSON.stringify(text)} is not one of table, json`);
}

/** The number of digits of a hash that the table shows. JSON contains the whole hash. */
const SHOWN_HASH = 16;

/** `verb` is the past tense of the command: `exported`. */
export function moveLines(verb: string, result: MoveResult): readonly string[] {
  const { source, target, revision, objects, bytes, resources, notes } = result;
  const rows = [
    ['RESOURCE', 'OBJECTS', 'SHA-256'],
    ...resources.map((each) => [each.resource, String(each.objects), each.sha256.slice(0, SHOWN_HASH)]),
  ];
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map(([resource = '', number = '', hash = '']) =>
    `${resource.padEnd(first ?? 0)}  ${number.padStart(second ?? 0)}  ${hash}`.trimEnd(),
  );
  return [
    ...table,
    `${verb} ${objects} objects at revision ${revision} from ${source} to ${target} (${formatBytes(bytes)}, verified)`,
    ...notes,
  ];
}

export function moveJson(result: MoveResult): string {
  return JSON.stringify({ verified: true, ...result }, undefined, 2);
}
