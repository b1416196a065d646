/**
 * The parser of `--token-auth-file`: lines of `token,user,uid` and, optionally, groups separated by commas in a fourth
 * column.
 *
 * Invariants: one malformed line fails the whole file, as in the reference. Messages contain no token.
 */
import { ConfigError } from '../../../base/errors.ts';
import { type AuthenticationResult, NOT_RECOGNIZED, type TokenAuthenticator } from '../../authenticator.ts';
import { readCsv } from './csv.ts';

export interface TokenFile {
  readonly authenticate: TokenAuthenticator;
  readonly count: number;
  /** About lines that are ignored, or that replace an earlier one. */
  readonly warnings: readonly string[];
}

/**
 * `path` is used in messages only. Throws ConfigError for malformed CSV and for lines with fewer than three columns.
 */
export function parseTokenFile(text: string, path: string): TokenFile {
  const csv = readCsv(text);
  if (!csv.ok) throw new ConfigError(`token file '${path}': ${csv.message}`);
  const results = new Map<string, AuthenticationResult>();
  const warnings: string[] = [];
  for (const [i, columns] of csv.records.entries()) {
    const [token, name, uid, groups] = columns;
    if (token === undefined || name === undefined || uid === undefined)
      throw new ConfigError(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${columns.length}`,
      );
    if (token === '') {
      warnings.push(`empty token has been found in token file '${path}', record number '${i + 1}'`);
      continue;
    }
    if (results.has(token))
      warnings.push(`duplicate token has been found in token file '${path}', record number '${i + 1}'`);
    results.set(token, { outcome: 'ok', user: { name, uid, groups: groups?.split(',') ?? [], extra: {} } });
  }
  return { authenticate: (token) => results.get(token) ?? NOT_RECOGNIZED, count: results.size, warnings };
}
