import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../source-graph.ts';
import { referencePages } from './pages.ts';

describe('docs/reference', () => {
  it('is what npm run generate:reference writes', async () => {
    for (const [name, text] of Object.entries(await referencePages()))
      expect(readFileSync(join(ROOT, 'docs', 'reference', name), 'utf8'), name).toBe(text);
  });
});
