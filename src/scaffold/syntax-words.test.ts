import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { syntaxSentence } from './syntax-words.ts';

const FOLDER = new URL('../apimachinery/codec/yaml/', import.meta.url);

/** Returns the reasons that the YAML reader may give, from its sources. Placeholders become `1`. */
function reasons(): string[] {
  const found: string[] = [];
  for (const name of readdirSync(FOLDER).filter((file) => !file.includes('.test.'))) {
    const source = readFileSync(new URL(name, FOLDER), 'utf8');
    const calls =
      /(?:#?fail|new YamlSyntaxError|#openBlock|#flowEntries|failed)\(\s*(?:'[\w-]+',\s*|\w+, )?(['"`])((?:\\.|(?!\1).)+)\1/g;
    for (const [, , text = ''] of source.matchAll(calls)) found.push(text.replaceAll(/\$\{[^}]*\}/g, '1'));
  }
  return found.filter((text) => /^[a-z!]/.test(text) && !/^(line|json:) 1/.test(text));
}

describe('sentences about syntax', () => {
  it('exist for every reason that the YAML reader gives', () => {
    const all = reasons();
    expect(all.length).toBeGreaterThan(35);
    expect(all).toContain("did not find expected ',' or ']'");
    expect(all.filter((reason) => syntaxSentence(reason.replaceAll('\\`', '`')) === reason)).toEqual([]);
  });

  it('fall back to the reason', () => {
    expect(syntaxSentence('something new')).toBe('something new');
  });
});
