/** CPU time and memory of processes, from /proc. */
import { readFileSync } from 'node:fs';

/** The ticks per second of /proc/<pid>/stat: USER_HZ, which is 100 on every Linux that Node runs on. */
const USER_HZ = 100;

/** Returns the seconds of CPU time of the processes, with their threads. */
export function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command may contain spaces and brackets, so the fields are counted from the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / USER_HZ;
}

export interface MemoryFigures {
  readonly resident: number;
  /** Without mapped files, such as LMDB's map and program code. */
  readonly anonymous: number;
}

export function memoryOf(pids: readonly number[]): MemoryFigures {
  let resident = 0;
  let anonymous = 0;
  for (const pid of pids) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    resident += kilobytes(status, 'VmRSS');
    anonymous += kilobytes(status, 'RssAnon');
  }
  return { resident: resident * 1024, anonymous: anonymous * 1024 };
}

/** Returns the sum of the peak resident memory of the processes, each at its own time. */
export function peakMemoryOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + kilobytes(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmHWM') * 1024, 0);
}

function kilobytes(status: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
  if (found === null) throw new Error(`/proc has no figure ${name}`);
  return Number(found[1]);
}
