/** Writes the generated pages of docs/reference. usage: npm run generate:reference */
import { writeFileSync } from 'node:fs';
import { referencePages } from './pages.ts';

for (const [name, text] of Object.entries(await referencePages())) writeFileSync(`docs/reference/${name}`, text);
