/**
 * The runner of the real kubectl, Helm 3 or Helm 4. Invariants: it sees nothing of the caller's home, caches or environment; it
 * ends within its time.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './programs.ts';

export interface KubectlRun {
  /** Default `kubectl`. */
  readonly program?: 'kubectl' | 'helm' | 'helm4';
  readonly args: readonly string[];
  readonly kubeconfig: string;
  /** HOME, which contains kubectl's discovery cache. One per server. */
  readonly home: string;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sends SIGTERM after this time. Default 20 s. */
  readonly timeoutMs?: number;
  /** Sends SIGTERM when this resolves, to end a watch. */
  readonly until?: Promise<unknown>;
}

export interface KubectlAnswer {
  /** `timeout` if the time was up, `stopped` if `until` ended it. */
  readonly exit: number | 'timeout' | 'stopped';
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects only if kubectl cannot be started. */
export function runKubectl(run: KubectlRun): Promise<KubectlAnswer> {
  mkdirSync(run.home, { recursive: true });
  return new Promise((resolve, reject) => {
    const child = spawn(program(run.program ?? 'kubectl'), run.args, {
      cwd: run.cwd ?? run.home,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: run.home,
        KUBECACHEDIR: join(run.home, 'cache'),
        KUBECONFIG: run.kubeconfig,
        LC_ALL: 'C',
        TZ: 'UTC',
        ...run.env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let ended: 'timeout' | 'stopped' | undefined;
    const end = (how: 'timeout' | 'stopped'): void => {
      ended ??= how;
      child.kill('SIGTERM');
    };
    const timer = setTimeout(() => end('timeout'), run.timeoutMs ?? 20_000);
    void run.until?.finally(() => end('stopped'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ exit: child.signalCode === null ? (code ?? -1) : (ended ?? -1), stdout, stderr });
    });
    // A kubectl that fails early closes its input. Its exit code shows that.
    child.stdin.on('error', () => {});
    child.stdin.end(run.stdin ?? '');
  });
}
