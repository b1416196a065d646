/** The factory of the encryption providers on Node. */
import { createCipherProvider } from './cipher-provider.ts';
import { createKmsProvider } from './kms/kms-provider.ts';
import type { ProviderFactory, ProviderHost } from './provider.ts';

export function createProviderFactory(host: ProviderHost): ProviderFactory {
  return { cipher: createCipherProvider, kms: (settings) => createKmsProvider(settings, host) };
}
