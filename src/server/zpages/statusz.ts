/** The page `/statusz`: versions and age of the process, and the paths that help to debug it. */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import type { Clock } from '../../base/clock.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { REFERENCE_VERSION } from '../version-info.ts';
import type { ZPage } from './zpage.ts';

export interface StatuszOptions {
  readonly clock: Clock;
  /** When the process started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The runtime, where the reference names its Go version. */
  readonly runtime: string;
  /** Returns all paths of the server. */
  readonly paths: () => readonly string[];
}

/** The first segments of paths that serve the API itself. */
const API_PATHS: ReadonlySet<string> = new Set(['api', 'apis', 'openid', 'openapi', '.well-known']);
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function statuszPage(options: StatuszOptions): ZPage {
  const { clock, runtime } = options;
  const startedAt = Math.floor(options.startedAt / 1000) * 1000;
  const { major, minor, patch } = REFERENCE_VERSION;
  const binaryVersion = `${major}.${minor}.${patch}`;
  const emulationVersion = `${major}.${minor}`;
  const uptimeSeconds = (): number => Math.max(0, Math.floor((clock.now() - startedAt) / 1000));
  const paths = (): readonly string[] => debuggingPaths(options.paths());
  return {
    name: 'statusz',
    kind: 'Statusz',
    text: () =>
      [
        '',
        `Started: ${unixDate(new Date(startedAt))}`,
        `Up: ${formatUptime(uptimeSeconds())}`,
        `Go version: ${runtime}`,
        `Binary version: ${binaryVersion}`,
        `Emulation version: ${emulationVersion}`,
        `Paths: ${paths().join(' ')}`,
        '',
      ].join('\n'),
    fields: () => ({
      startTime: formatTime(instantFromMillis(startedAt)),
      uptimeSeconds: uptimeSeconds(),
      goVersion: runtime,
      binaryVersion,
      emulationVersion,
      paths: [...paths()],
    }),
  };
}

/** Returns the first segments of the paths, each once and sorted, without those of the API. */
function debuggingPaths(paths: readonly string[]): readonly string[] {
  const segments = new Set(paths.map((path) => path.split('/')[1] ?? ''));
  return [...segments]
    .filter((segment) => segment !== '' && !API_PATHS.has(segment))
    .map((segment) => `/${segment}`)
    .sort(compareUtf8);
}

function formatUptime(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}

/** Formats a time as Go's `UnixDate`, in UTC. */
function unixDate(time: Date): string {
  const clock = time.toISOString().slice(11, 19);
  const day = String(time.getUTCDate()).padStart(2);
  return `${DAYS[time.getUTCDay()]} ${MONTHS[time.getUTCMonth()]} ${day} ${clock} UTC ${time.getUTCFullYear()}`;
}
