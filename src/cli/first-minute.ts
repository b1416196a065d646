/** What a person sees when the server is up: where it is, and what to type next. Invariant: `first-minute.test` replays these lines as the README shows them. */

export interface FirstMinute {
  readonly version: string;
  readonly url: string;
  /** Absolute; undefined if no kubeconfig of ours would be accepted. */
  readonly kubeconfig: string | undefined;
  readonly readyMs: number;
}

export function firstMinuteLines({ version, url, kubeconfig, readyMs }: FirstMinute): readonly string[] {
  const head = `Keelson ${version} serves the Kubernetes API at ${url} (ready in ${Math.round(readyMs)} ms).`;
  if (kubeconfig === undefined)
    return [
      head,
      'Clients are known by --client-ca-file, --token-auth-file or ServiceAccounts: use a kubeconfig of your own.',
    ];
  return [
    head,
    'In another terminal:',
    '',
    `  export KUBECONFIG=${shellQuote(kubeconfig)}`,
    '  kubectl get namespaces',
    '  kubectl create configmap hello --from-literal=greeting=ahoy',
    '',
    'Ctrl-C ends it; what was stored stays in the data folder.',
  ];
}

/** As a shell takes it for one word. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
