import { describe, expect, it } from 'vitest';
import { etcdProblem } from './etcd-problem.ts';

const URL = 'http://127.0.0.1:2379';

describe('the sentence about an etcd that cannot be used', () => {
  it('names the only server once and says what to do', () => {
    expect(etcdProblem([URL], `etcd: ${URL}: connect ECONNREFUSED 127.0.0.1:2379`)).toBe(
      'connect ECONNREFUSED 127.0.0.1:2379; check that etcd runs and listens there',
    );
  });

  it('keeps the name of the server that failed if there are several', () => {
    expect(etcdProblem([URL, 'http://b:2379'], 'etcd: http://b:2379: getaddrinfo ENOTFOUND b')).toBe(
      'http://b:2379: getaddrinfo ENOTFOUND b; check the name of the host',
    );
  });

  it('asks for the CA if the certificate cannot be verified', () => {
    expect(etcdProblem([URL], 'etcd: unable to verify the first certificate')).toContain('--etcd-cafile');
  });

  it('suggests https for a server that does not answer as HTTP/2 does', () => {
    expect(etcdProblem([URL], `etcd: ${URL}: http2: connection error: FRAME_SIZE_ERROR`)).toContain('needs https://');
  });

  it('adds nothing to other messages', () => {
    expect(etcdProblem([URL], 'it has an unfinished import')).toBe('it has an unfinished import');
  });
});
