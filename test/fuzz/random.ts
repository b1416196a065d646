/** The random generator that tests in `src` use as well. */
export { createRandom, type Random } from '../../src/base/random.fixtures.ts';
