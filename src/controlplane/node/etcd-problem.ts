/** The sentence about an etcd cluster that cannot be used at start. */

/** The advice for a failure whose message contains the pattern. The first match counts. */
const ADVICE: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ECONNREFUSED/, 'check that etcd runs and listens there'],
  [/ENOTFOUND|EAI_AGAIN/, 'check the name of the host'],
  [/http2: connection error|unexpected EOF/, 'this is not a client URL of etcd, or it needs https://'],
  [/certificate/, 'name the CA of etcd with --etcd-cafile, and the certificate of this client with --etcd-certfile'],
];

/** Removes from the message what the caller has said, and adds what to do. */
export function etcdProblem(servers: readonly string[], message: string): string {
  const [only] = servers;
  const reason = message.replace(/^etcd: /, '').replace(servers.length === 1 ? `${only}: ` : '', '');
  const advice = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  return advice === undefined ? reason : `${reason}; ${advice}`;
}
