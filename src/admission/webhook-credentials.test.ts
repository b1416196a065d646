import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { attributesFor } from './attributes.fixtures.ts';
import { credentialNames, credentialTarget } from './webhook-credentials.ts';
import { validatingAdmissionWebhook } from './webhooks/validating-webhooks.ts';
import { configuration, testWebhooks } from './webhooks/webhooks.fixtures.ts';

describe('credentials of webhooks', () => {
  it('belong to a host with its port', () => {
    expect(credentialTarget('https://hooks.example.com/x')).toBe('hooks.example.com:443');
    expect(credentialTarget('https://hooks.example.com:8443')).toBe('hooks.example.com:8443');
    expect(credentialTarget('https://[::1]/x')).toBe('[::1]:443');
    expect(credentialTarget({ namespace: 'ns', name: 'hook', port: 443, path: '/x' })).toBe('hook.ns.svc:443');
  });

  it('are found by the exact name, then by wildcards, then without the default port', () => {
    expect(credentialNames('a.b.c:8443')).toEqual(['a.b.c:8443', '*.b.c:8443', '*.c:8443', '*']);
    expect(credentialNames('a.b:443')).toEqual(['a.b:443', '*.b:443', 'a.b', '*.b', '*']);
    expect(credentialNames('[::1]:443')).toEqual(['[::1]:443', '::1', '*']);
  });

  it('are sent with the review', async () => {
    const hooks = testWebhooks({ '/a': () => ({ allowed: true }) });
    hooks.configure(configuration('one', ['/a']));
    const asked: string[] = [];
    const clientCertificate = { cert: 'CERT', key: 'KEY' };
    const plugin = validatingAdmissionWebhook({
      ...hooks.options,
      credentials: (target) => {
        asked.push(target);
        return { clientCertificate, headers: { authorization: 'Bearer t' } };
      },
    });
    await plugin.validate?.(attributesFor('CREATE', 'pods', { metadata: { name: 'p' } }));
    expect(asked).toEqual(['hooks.example.com:443']);
    expect(hooks.calls[0]).toMatchObject({ clientCertificate, headers: { authorization: 'Bearer t' } });
  });

  it('that cannot be read are a failure of the webhook', async () => {
    const hooks = testWebhooks({});
    hooks.configure(configuration('one', ['/a']));
    const plugin = validatingAdmissionWebhook({
      ...hooks.options,
      credentials: () => Promise.reject(new ConfigError('no such file')),
    });
    await expect(plugin.validate?.(attributesFor('CREATE', 'pods', { metadata: { name: 'p' } }))).rejects.toThrow(
      'failed calling webhook "a.example.com": could not get REST client: no such file',
    );
  });
});
