import { describe, expect, it } from 'vitest';
import { startMessageLines } from './start-message.ts';

const SERVER = {
  version: '1.2.3',
  url: 'https://127.0.0.1:6443',
  otherMachinesUrl: undefined,
  kubeconfig: "/home/o'neil/admin.kubeconfig",
  storage: 'lmdb',
  readyMs: 240.4,
} as const;

describe('the start message', () => {
  it('has the address, the next commands and where the objects are', () => {
    expect(startMessageLines(SERVER)).toEqual([
      'Keelson 1.2.3 serves the Kubernetes API at https://127.0.0.1:6443 (ready in 240 ms).',
      'In another terminal:',
      '',
      "  export KUBECONFIG='/home/o'\\''neil/admin.kubeconfig'",
      '  kubectl get namespaces',
      '  kubectl create configmap hello --from-literal=greeting=ahoy',
      '',
      'Press Ctrl-C to stop it. Stored objects stay in the data folder.',
    ]);
  });

  it('says that objects in memory are lost', () => {
    expect(startMessageLines({ ...SERVER, storage: 'memory' }).at(-1)).toBe(
      'Press Ctrl-C to stop it. Objects are in memory only: they are lost when it stops.',
    );
  });

  it('has an address for other machines, and says why there is no kubeconfig', () => {
    const lines = startMessageLines({
      ...SERVER,
      otherMachinesUrl: 'https://10.0.0.4:6443',
      kubeconfig: undefined,
      storage: 'memory',
    });
    expect(lines.slice(1)).toEqual([
      'Other machines reach it at https://10.0.0.4:6443.',
      expect.stringMatching(/^No kubeconfig is written, because --client-ca-file is set/),
      expect.stringMatching(/^Press Ctrl-C to stop it\. Objects are in memory only/),
    ]);
  });
});
