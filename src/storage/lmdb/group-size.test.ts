import { describe, expect, it } from 'vitest';
import { GroupSize } from './group-size.ts';

const ALONE = { waiting: 0, fullForMs: undefined };

describe('the size of commit groups', () => {
  it('is halved after a quick commit that everything waited for, but not below a minimum', () => {
    const size = new GroupSize();
    size.synced({ requests: 64, tookMs: 1, ...ALONE });
    expect(size.most).toBe(32);
    size.synced({ requests: 32, tookMs: 1, ...ALONE });
    expect(size.most).toBe(32);
  });

  it('is kept while two groups take turns', () => {
    const size = new GroupSize();
    size.synced({ requests: 64, tookMs: 1, ...ALONE });
    size.synced({ requests: 32, tookMs: 4, waiting: 1, fullForMs: 1 });
    size.synced({ requests: 32, tookMs: 4, waiting: 1, fullForMs: undefined });
    expect(size.most).toBe(32);
  });

  it('is not reduced on a slow disk', () => {
    const size = new GroupSize();
    const before = size.most;
    size.synced({ requests: 64, tookMs: 8, ...ALONE });
    expect(size.most).toBe(before);
  });

  it('grows when a full group waits for a slow disk', () => {
    const size = new GroupSize();
    size.synced({ requests: 64, tookMs: 1, ...ALONE });
    size.synced({ requests: 32, tookMs: 8, waiting: 1, fullForMs: 6 });
    expect(size.most).toBe(64);
  });

  it('grows when more than one group waits, up to the largest size', () => {
    const size = new GroupSize();
    const largest = size.most;
    size.synced({ requests: 64, tookMs: 1, ...ALONE });
    for (let commits = 0; commits < 20; commits++) size.synced({ requests: 32, tookMs: 1, waiting: 2, fullForMs: 0 });
    expect(size.most).toBe(largest);
  });
});
