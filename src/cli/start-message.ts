/**
 * The message that the server prints when it is ready: its address, and the next commands. The README shows
 * these lines, and `test/process/command.test.ts` runs them.
 */
export interface StartMessage {
  readonly version: string;
  readonly url: string;
  /** An absolute path. Undefined if the server would not accept a kubeconfig that it writes itself. */
  readonly kubeconfig: string | undefined;
  readonly readyMs: number;
}

export function startMessageLines({ version, url, kubeconfig, readyMs }: StartMessage): readonly string[] {
  const head = `Keelson ${version} serves the Kubernetes API at ${url} (ready in ${Math.round(readyMs)} ms).`;
  if (kubeconfig === undefined)
    return [
      head,
      'No kubeconfig is written, because --client-ca-file is set: use a client certificate of that CA, or a token.',
    ];
  return [
    head,
    'In another terminal:',
    '',
    `  export KUBECONFIG=${shellQuote(kubeconfig)}`,
    '  kubectl get namespaces',
    '  kubectl create configmap hello --from-literal=greeting=ahoy',
    '',
    'Press Ctrl-C to stop it. Stored objects stay in the data folder.',
  ];
}

/** Quotes a text so that a shell takes it as one word. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
