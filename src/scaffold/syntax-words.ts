/** The sentences about YAML that cannot be parsed. The parser itself has the messages of the reference. */

const INDENT_WITH_SPACES = 'indent with spaces, not with tabs';
const NO_CLOSING_QUOTE = 'the quoted text has no closing quote';
const BAD_TAG_ESCAPE = 'the escaped octets of the tag are not UTF-8';
const YAML_VERSION = 'expected a version such as 1.1 after %YAML';
const PLAIN_KEYS = 'a key must be text, a number or a boolean';

const SENTENCES: Readonly<Record<string, string>> = {
  'mapping values are not allowed in this context':
    '":" is not allowed here: quote the value if it contains ": ", or correct the indentation',
  'mapping keys are not allowed in this context': '"? " is not allowed here: begin the key on a line of its own',
  'block sequence entries are not allowed in this context': '"- " is not allowed here: begin the list on a new line',
  'did not find expected key': 'expected a key: correct the indentation of this line or of the lines before it',
  "did not find expected '-' indicator":
    'expected "- " or the end of the list: correct the indentation of this line or of the lines before it',
  "did not find expected ',' or ']'": 'expected "," or "]" in the list',
  "did not find expected ',' or '}'": 'expected "," or "}" in the mapping',
  'did not find expected node content': 'expected a value',
  "could not find expected ':'": 'expected ":" after the key',
  'found character that cannot start any token':
    'a value cannot begin with this character: quote the value, or replace a tab by spaces',
  'found a tab character that violates indentation': INDENT_WITH_SPACES,
  'found a tab character where an indentation space is expected': INDENT_WITH_SPACES,
  'found unexpected end of stream': NO_CLOSING_QUOTE,
  'found unexpected document indicator': `${NO_CLOSING_QUOTE} in this document`,
  'found unknown escape character': 'unknown escape sequence: write "\\\\" for a backslash, or use single quotes',
  'did not find expected hexdecimal number': 'expected hexadecimal digits in the escape sequence',
  'found invalid Unicode character code': 'the escape sequence is not a Unicode character',
  'found an indentation indicator equal to 0': 'the indentation of a block text is a digit from 1 to 9',
  'did not find expected comment or line break': 'expected the end of the line, or a comment',
  'did not find expected alphabetic or numeric character':
    'expected a name of letters, digits, "_" or "-" after "&" or "*": quote a value that begins with one of them',
  'did not find expected whitespace or line break': 'expected a space or the end of the line after the tag',
  'did not find expected whitespace': 'expected a space after the tag handle',
  "did not find the expected '>'": 'expected ">" at the end of the tag',
  "did not find expected '!'": 'expected "!" at the end of the tag handle',
  'did not find expected tag URI': 'expected the name of a tag',
  'did not find URI escaped octet': 'expected "%" and two hexadecimal digits in the tag',
  'found an incorrect leading UTF-8 octet': BAD_TAG_ESCAPE,
  'found an incorrect trailing UTF-8 octet': BAD_TAG_ESCAPE,
  'found undefined tag handle': 'no %TAG directive declares the handle of this tag',
  'could not find expected directive name': 'expected the name of a directive after "%"',
  'found unexpected non-alphabetical character': 'the name of a directive has only letters, digits, "_" and "-"',
  'found unknown directive name': 'unknown directive: quote a line that begins with "%"',
  "did not find expected digit or '.' character": YAML_VERSION,
  'found extremely long version number': YAML_VERSION,
  'did not find expected version number': YAML_VERSION,
  'found duplicate %YAML directive': 'a second %YAML directive',
  'found duplicate %TAG directive': 'a second %TAG directive for the same handle',
  'found incompatible YAML document': 'the %YAML directive must say 1.1',
  'did not find expected <document start>': 'expected "---" after the directives',
  'control characters are not allowed': 'YAML does not allow this control character',
  'document contains excessive aliasing': 'aliases repeat too much of the document',
  'map merge requires map or sequence of maps as the value':
    'the value of "<<" must be a mapping or a list of mappings',
  '!!binary value contains invalid base64 data': 'a !!binary value must be base64',
  'invalid leading UTF-8 octet': 'the file is not UTF-8 text',
};

const PATTERNS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^exceeded max depth of (\d+)$/, ([, depth]) => `nested more than ${depth} levels deep`],
  [/^unknown anchor '(.*)' referenced$/, ([, name]) => `*${name} has no anchor &${name} before it`],
  [/^anchor '(.*)' value contains itself$/, ([, name]) => `the value of the anchor &${name} contains itself`],
  [/^cannot decode !!\w+ `(.*)` as a (!!\w+)$/s, ([, text, tag]) => `${JSON.stringify(text)} is not a value of ${tag}`],
  [/^invalid map key: /, () => `${PLAIN_KEYS}, not a list or a mapping`],
  [/^unsupported map key of type: /, () => PLAIN_KEYS],
  [/^unsupported value: (.*)$/, ([, value]) => `JSON has no number ${value}`],
  [/^document is larger than (\d+) bytes$/, ([, bytes]) => `the document is larger than ${bytes} bytes`],
];

/** Returns the sentence for the reason of a read error; the reason itself if there is no sentence for it. */
export function syntaxSentence(reason: string): string {
  const sentence = SENTENCES[reason];
  if (sentence !== undefined) return sentence;
  for (const [pattern, words] of PATTERNS) {
    const match = pattern.exec(reason);
    if (match !== null) return words(match);
  }
  return reason;
}
