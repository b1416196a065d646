/**
 * The Prometheus text format 0.0.4, as the reference's library prints it.
 *
 * Invariant: label values and help texts are escaped, so they cannot end their line or their quotes.
 */

/**
 * The last parameter says how names with other characters than letters, digits and underscores are printed. This server
 * has none.
 */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/**
 * Prints a number with the fewest digits that identify it. Uses an exponent below 1e-4 and from 1e6 on; prints `NaN`,
 * `+Inf` and `-Inf`.
 */
export function formatValue(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return Object.is(value, -0) ? '-0' : `${value}`;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  // In this range JavaScript prints no exponent either.
  if (size >= 1e-4 && size < 1e6) return `${value}`;
  const text = value.toExponential();
  const mark = text.indexOf('e');
  const digits = text.slice(mark + 2);
  return `${text.slice(0, mark + 2)}${digits.length < 2 ? '0' : ''}${digits}`;
}

/** Prints `a="x",b="y"`; an empty text without labels. */
export function formatLabels(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (let i = 0; i < names.length; i++) text += `${i === 0 ? '' : ','}${names[i]}="${escapeLabel(values[i] ?? '')}"`;
  return text;
}

/** Prints the HELP and TYPE lines of a metric. */
export function formatHeader(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

const ESCAPED = /[\\\n"]/;

function escapeLabel(value: string): string {
  if (!ESCAPED.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
