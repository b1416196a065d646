/** The only use of re2js as a value, so that bundles can load the package when a pattern needs it. */
import { RE2JS } from 're2js';

/** Throws an Error with Go's message for a pattern that is not valid. */
export function compileRe2js(pattern: string): RE2JS {
  return RE2JS.compile(pattern);
}
