/** The format of sizes in messages. */

/** Formats a size in decimal units, rounded up below a megabyte: `160 kB`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
