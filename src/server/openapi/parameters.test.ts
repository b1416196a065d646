import { describe, expect, it } from 'vitest';
import { DELETE_COLLECTION_OPTIONS, LIST_OPTIONS, NAME, NAMESPACE, PATCH_OPTIONS, PRETTY } from './parameters.ts';

const ALL = [...LIST_OPTIONS, ...PATCH_OPTIONS, ...DELETE_COLLECTION_OPTIONS, PRETTY, NAME, NAMESPACE];

describe('descriptions of parameters', () => {
  // `run_swagger_tests` of upstream's kubectl scripts looks for these words in /openapi/v2.
  it.each([
    ['labelSelector', 'list of returned'],
    ['fieldSelector', 'list of returned'],
    ['watch', 'Watch for changes to the described resources'],
  ])('of %s contain the words that upstream looks for', (name, words) => {
    expect(LIST_OPTIONS.find((parameter) => parameter.name === name)?.description).toContain(words);
  });

  it('are sentences', () => {
    for (const { description } of ALL) expect(description).toMatch(/^[A-Z].*\.$/);
  });
});
