/** The runner of h2load (Debian's nghttp2-client), a driver that uses little CPU compared with the servers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LoadOptions {
  readonly url: string;
  readonly headers: readonly string[];
  readonly requests: number;
  readonly connections: number;
  /** The number of concurrent streams on one connection. */
  readonly streams: number;
  /** Sent as the body of a POST. */
  readonly body?: string | Uint8Array;
  /** Measures the latency of each request. */
  readonly latencies?: boolean;
}

export interface LoadFigures {
  readonly perSecond: number;
  readonly seconds: number;
  /** The bytes of the received bodies. */
  readonly bytes: number;
  /** Microseconds, sorted; empty unless asked for. */
  readonly latencies: readonly number[];
}

/** A running load. */
export interface Load {
  readonly figures: Promise<LoadFigures>;
}

export function startLoad(options: LoadOptions): Load {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-h2load-'));
  const args = ['-n', String(options.requests), '-c', String(options.connections), '-m', String(options.streams)];
  // Windows that are large enough not to delay a list.
  args.push('-w', '24', '-W', '26');
  for (const header of options.headers) args.push('-H', header);
  if (options.body !== undefined) {
    writeFileSync(join(folder, 'body'), options.body);
    args.push('-d', join(folder, 'body'));
  }
  if (options.latencies === true) args.push('--log-file', join(folder, 'log'));
  args.push(options.url);
  return { figures: run(args, folder, options) };
}

export function load(options: LoadOptions): Promise<LoadFigures> {
  return startLoad(options).figures;
}

async function run(args: readonly string[], folder: string, options: LoadOptions): Promise<LoadFigures> {
  try {
    const child = spawn('h2load', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`h2load ended with ${code}`);
    const finished = /^finished in ([\d.]+)(us|ms|s), ([\d.]+) req\/s/m.exec(output);
    const succeeded = /(\d+) succeeded, (\d+) failed, (\d+) errored/.exec(output);
    const bytes = /space savings [^)]*\), \S+ \((\d+)\) data/.exec(output);
    if (finished === null || succeeded === null || bytes === null) throw new Error(`h2load printed:\n${output}`);
    if (Number(succeeded[1]) !== options.requests) throw new Error(`not every request succeeded:\n${output}`);
    const unit = finished[2] === 's' ? 1 : finished[2] === 'ms' ? 1e-3 : 1e-6;
    return {
      perSecond: Number(finished[3]),
      seconds: Number(finished[1]) * unit,
      bytes: Number(bytes[1]),
      latencies: options.latencies === true ? readLatencies(join(folder, 'log')) : [],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The fields of a line: start time, status, microseconds. */
function readLatencies(path: string): number[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number(line.split('\t')[2]))
    .toSorted((a, b) => a - b);
}

export function percentile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
