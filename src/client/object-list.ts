/** The objects of a list over several requests. */
import { isExpired } from '../apimachinery/status/status.ts';
import type { ListOptions, ObjectList, Page, PageOptions } from './api.ts';
import type { Stored } from './object-types.ts';

const PAGE_SIZE = 500;

type ReadPage<T> = (options: PageOptions) => Promise<Page<T>>;

/** Makes the ObjectList of `readPage`. Each loop sends the requests again. */
export function objectList<T>(readPage: ReadPage<T>, options: ListOptions): ObjectList<T> {
  return {
    [Symbol.asyncIterator]: () => iterate(readPage, options),
    toArray: () => readAll(readPage, options),
  };
}

async function* iterate<T>(readPage: ReadPage<T>, options: ListOptions): AsyncGenerator<Stored<T>, void, undefined> {
  for await (const page of pages(readPage, options)) yield* page.items;
}

/** Reads all pages. If a continue token expires, reads all objects again in one request, like client-go's pager. */
async function readAll<T>(readPage: ReadPage<T>, options: ListOptions): Promise<Stored<T>[]> {
  const objects: Stored<T>[][] = [];
  try {
    for await (const page of pages(readPage, options)) objects.push(page.items as Stored<T>[]);
  } catch (caught) {
    if (objects.length === 0 || !isExpired(caught)) throw caught;
    return [...(await readPage({ ...pageOptions(options), limit: 0 })).items];
  }
  return objects.length === 1 ? [...(objects[0] as Stored<T>[])] : objects.flat();
}

async function* pages<T>(readPage: ReadPage<T>, options: ListOptions): AsyncGenerator<Page<T>, void, undefined> {
  const first = { ...pageOptions(options), limit: options.pageSize ?? PAGE_SIZE };
  let page = await readPage(first);
  yield page;
  // A continue token contains the revision, and the server refuses requests with both.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = first;
  while (page.continueToken !== '') {
    page = await readPage({ ...rest, continueToken: page.continueToken });
    yield page;
  }
}

function pageOptions({ pageSize: _, ...options }: ListOptions): PageOptions {
  return options;
}
