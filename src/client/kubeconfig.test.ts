import { describe, expect, it } from 'vitest';
import { type KubeconfigContext, readKubeconfig } from './kubeconfig.ts';

const FIRST = `
apiVersion: v1
kind: Config
current-context: work
clusters:
  - name: here
    cluster: {server: "https://here:6443/", certificate-authority: ca.crt, tls-server-name: api}
  - name: open
    cluster: {server: "https://open", insecure-skip-tls-verify: true, certificate-authority-data: QQ==}
contexts:
  - {name: work, context: {cluster: here, user: jane, namespace: shop}}
  - {name: nobody, context: {cluster: open}}
  - {name: bad, context: {cluster: gone, user: jane}}
users:
  - {name: jane, user: {client-certificate: jane.crt, client-key-data: QUI=, as: joe, as-groups: [g]}}
`;
const SECOND = `
current-context: other
clusters: [{name: here, cluster: {server: "https://never"}}, {name: there, cluster: {server: "http://there"}}]
contexts: [{name: other, context: {cluster: there, user: plugin}}, {name: old, context: {cluster: there, user: old}}]
users:
  - name: plugin
    user:
      exec: {command: ./get-token, args: [a], env: [{name: X, value: "1"}], provideClusterInfo: true}
  - {name: old, user: {auth-provider: {name: gcp}}}
`;

function read(context?: string): KubeconfigContext {
  return readKubeconfig(
    [
      { path: '/a/config', text: FIRST },
      { path: '/b/config', text: SECOND },
    ],
    context,
  );
}

describe('a kubeconfig', () => {
  it('has a current context with its cluster, user and namespace; the first file wins', () => {
    expect(read()).toMatchObject({
      name: 'work',
      server: 'https://here:6443',
      ca: { kind: 'file', path: 'ca.crt', base: '/a/config' },
      insecureSkipTlsVerify: false,
      tlsServerName: 'api',
      namespace: 'shop',
      user: {
        clientCertificate: { kind: 'file', path: 'jane.crt', base: '/a/config' },
        clientKey: { kind: 'inline', base64: 'QUI=' },
        token: undefined,
        impersonate: { user: 'joe', groups: ['g'], uid: '' },
      },
    });
  });

  it('has other contexts, also in later files', () => {
    expect(read('nobody')).toMatchObject({
      insecureSkipTlsVerify: true,
      ca: { kind: 'inline', base64: 'QQ==' },
      namespace: 'default',
      user: { clientCertificate: undefined },
    });
    expect(read('other')).toMatchObject({
      server: 'http://there',
      user: {
        exec: { command: './get-token', args: ['a'], env: { X: '1' }, provideClusterInfo: true, base: '/b/config' },
      },
    });
  });

  it.each([
    ['bad', '/a/config: the context "bad" names the cluster "gone", which does not exist'],
    ['none', '/a/config, /b/config has no context "none"'],
    ['old', '/b/config: auth-provider of the user "old" is not supported; use exec'],
  ])('without a usable context %s is refused', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });

  it('may name an HTTP proxy for a server with TLS', () => {
    const withProxy = (proxy: string, server = 'https://a'): string | undefined => {
      const cluster = `{name: b, cluster: {server: ${server}, proxy-url: ${JSON.stringify(proxy)}}}`;
      const text = `current-context: a\ncontexts: [{name: a, context: {cluster: b}}]\nclusters: [${cluster}]`;
      return readKubeconfig([{ path: '/a/config', text }]).proxyUrl;
    };
    expect(withProxy('http://user:pass@proxy:3128')).toBe('http://user:pass@proxy:3128');
    expect(withProxy('')).toBeUndefined();
    for (const proxy of ['socks5://proxy', 'https://proxy', 'proxy:3128', 'http://'])
      expect(() => withProxy(proxy)).toThrow('/a/config: proxy-url of the cluster "b" is not supported: it must be');
    expect(() => withProxy('http://a:b:c')).toThrow('proxy-url of the cluster "b" is not a URL');
    expect(() => withProxy('http://proxy', 'http://a')).toThrow('is not supported for a server without TLS');
    expect(() => withProxy('http://proxy', '"https://"')).toThrow('the cluster "b" has no server with a URL');
  });

  it('that is malformed or empty is refused', () => {
    const only =
      (text: string): (() => unknown) =>
      () =>
        readKubeconfig([{ path: '/a/config', text }]);
    expect(only('a: [')).toThrow('cannot parse the kubeconfig /a/config: yaml: ');
    expect(only('- a')).toThrow('/a/config is not a kubeconfig');
    expect(only('')).toThrow('/a/config has no current context');
    expect(only('current-context: a\ncontexts: [{name: a, context: {cluster: b}}]\nclusters: [{name: b}]')).toThrow(
      'the cluster "b" has no server with a URL',
    );
  });
});
