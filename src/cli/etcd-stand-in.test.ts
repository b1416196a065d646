import { describe, expect, it } from 'vitest';
import { clientUrls, runEtcdStandIn } from './etcd-stand-in.ts';

describe('the etcd of keelson envtest', () => {
  it.each([
    [[], ['http://localhost:2379']],
    [['--listen-client-urls=http://a:1', '--data-dir=x'], ['http://a:1']],
    [
      ['-listen-client-urls', 'http://a:1,http://b:2', '--unsafe-no-fsync=true'],
      ['http://a:1', 'http://b:2'],
    ],
    [['--listen-client-urls=http://a:1', '--listen-client-urls=http://b:2'], ['http://b:2']],
    [['listen-client-urls=http://a:1'], ['http://localhost:2379']],
  ])('reads its addresses from %j', (args, urls) => {
    expect(clientUrls(args)).toEqual(urls);
  });

  it.each([
    ['', '"" is not a URL'],
    ['nonsense', '"nonsense" is not a URL'],
    ['https://127.0.0.1:1', 'answers on http only'],
    ['unix://x', 'answers on http only'],
  ])('refuses the address %j', async (url, why) => {
    await expect(runEtcdStandIn([`--listen-client-urls=${url}`])).rejects.toThrow(why);
  });
});
