/** The steps of the parts: each is printed with its outcome, and a failed one does not keep the next from running. */
import { type KubectlAnswer, runKubectl } from '../peers/kubectl.ts';

let failed = 0;

/** How many steps failed. */
export function failures(): number {
  return failed;
}

export async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    console.log(`ok   ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}: ${(error as Error).message}`);
  }
}

/** Polls until the check returns a value. Throws with the last reason if it does not within the time. */
export async function eventually<T>(check: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Throws unless both texts are equal. */
export function expectText(found: string, wanted: string): void {
  if (found !== wanted) throw new Error(`found ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** kubectl with one kubeconfig. Throws with its standard error if it fails. */
export class Kubectl {
  readonly #kubeconfig: string;
  readonly #home: string;

  constructor(kubeconfig: string, home: string) {
    this.#kubeconfig = kubeconfig;
    this.#home = home;
  }

  async run(args: readonly string[], stdin = ''): Promise<string> {
    const answer: KubectlAnswer = await runKubectl({ args, stdin, kubeconfig: this.#kubeconfig, home: this.#home });
    if (answer.exit !== 0) throw new Error(`kubectl ${args.join(' ')}: ${answer.stderr.trim()}`);
    return answer.stdout.trim();
  }

  apply(...objects: readonly object[]): Promise<string> {
    return this.run(['apply', '-f', '-'], objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  }

  /** The value of a JSONPath in what `kubectl get` prints. */
  value(path: string, ...what: readonly string[]): Promise<string> {
    return this.run(['get', ...what, '-o', `jsonpath={${path}}`]);
  }

  /** Waits until the value is as wanted. */
  async expect(path: string, wanted: string, ...what: readonly string[]): Promise<void> {
    await eventually(async () => expectText(await this.value(path, ...what), wanted));
  }

  /** Waits until `kubectl get` finds nothing. */
  async gone(...what: readonly string[]): Promise<void> {
    await eventually(async () => expectText(await this.run(['get', ...what, '--ignore-not-found', '-o', 'name']), ''));
  }

  /** Sets the status that the node of an object would report. */
  patchStatus(what: string, status: object, ...more: readonly string[]): Promise<string> {
    const patch = JSON.stringify({ status });
    return this.run(['patch', what, ...more, '--subresource=status', '--type=merge', '-p', patch]);
  }
}
