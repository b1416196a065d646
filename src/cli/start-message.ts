/**
 * The message that the server prints when it is ready: its address, and the next commands. The README shows
 * these lines, and `test/process/command.test.ts` runs them.
 */
export interface StartMessage {
  readonly version: string;
  /** The address for clients on this machine. */
  readonly url: string;
  /** The address for clients on other machines; undefined if the server listens on one address only. */
  readonly otherMachinesUrl: string | undefined;
  /** An absolute path. Undefined if the server would not accept a kubeconfig that it writes itself. */
  readonly kubeconfig: string | undefined;
  readonly storage: 'memory' | 'lmdb' | 'etcd';
  readonly readyMs: number;
}

const KEPT: Readonly<Record<StartMessage['storage'], string>> = {
  memory: 'Objects are in memory only: they are lost when it stops.',
  lmdb: 'Stored objects stay in the data folder.',
  etcd: 'Stored objects stay in etcd.',
};

export function startMessageLines(message: StartMessage): readonly string[] {
  const { version, url, otherMachinesUrl, kubeconfig, storage, readyMs } = message;
  const head = [`Keelson ${version} serves the Kubernetes API at ${url} (ready in ${Math.round(readyMs)} ms).`];
  if (otherMachinesUrl !== undefined) head.push(`Other machines reach it at ${otherMachinesUrl}.`);
  const kept = KEPT[storage];
  const tail = `Press Ctrl-C to stop it. ${kept}`;
  if (kubeconfig === undefined)
    return [
      ...head,
      'No kubeconfig is written, because --client-ca-file is set: use a client certificate of that CA, or a token.',
      tail,
    ];
  return [
    ...head,
    'In another terminal:',
    '',
    `  export KUBECONFIG=${shellQuote(kubeconfig)}`,
    '  kubectl get namespaces',
    '  kubectl create configmap hello --from-literal=greeting=ahoy',
    '',
    tail,
  ];
}

/** Quotes a text so that a shell takes it as one word. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
