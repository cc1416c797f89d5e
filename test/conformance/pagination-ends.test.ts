import { expect, test } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const { things } = modules;
const client = httpClient();
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const valuesOf = ({ page }: { page: { value?: unknown }[] }): unknown[] => page.map(({ value }) => value);

async function owning(values: readonly (number | string)[]): Promise<string> {
  const owner = uniqueName();
  await client.mutation(things.insertMany, { owner, values: values.map((value) => ({ value })) });
  return owner;
}

type Options = { readonly numItems: number; readonly cursor: string | null; readonly endCursor?: string };
const page = (owner: string, paginationOpts: Options & { maximumRowsRead?: number }, order?: "desc") =>
  client.query(things.page, { owner, paginationOpts, ...(order === undefined ? {} : { order }) });

test("an end cursor sets the end of a page, however long the page is", async () => {
  const owner = await owning([0, 2, 4, 6]);
  const first = await page(owner, { numItems: 2, cursor: null });
  await client.mutation(things.insertMany, { owner, values: [{ value: 1 }, { value: 3 }] });
  const again = await page(owner, { numItems: 2, cursor: null, endCursor: first.continueCursor });
  expect(valuesOf(again)).toEqual([0, 1, 2]);
  expect(again.isDone).toBe(false);
  const second = await page(owner, { numItems: 10, cursor: again.continueCursor });
  expect(valuesOf(second)).toEqual([3, 4, 6]);
});

test("a descending query with a filter is paginated", async () => {
  const owner = await owning([...numbers(5), "hidden", "x"]);
  const first = await page(owner, { numItems: 3, cursor: null }, "desc");
  expect(valuesOf(first)).toEqual(["x", 4, 3]);
  const second = await page(owner, { numItems: 10, cursor: first.continueCursor }, "desc");
  expect([valuesOf(second), second.isDone]).toEqual([[2, 1, 0], true]);
});

test("a page that reads its maximum of rows returns a split cursor", async () => {
  const owner = await owning(numbers(10));
  const first = await page(owner, { numItems: 100, cursor: null, maximumRowsRead: 4 });
  expect(first.page.length).toBeLessThan(10);
  expect(first.isDone).toBe(false);
  expect(first.pageStatus).toBe("SplitRequired");
  const endCursor = first.splitCursor!;
  const left = await page(owner, { numItems: 100, cursor: null, endCursor });
  const right = await page(owner, { numItems: 100, cursor: endCursor, endCursor: first.continueCursor });
  expect([...valuesOf(left), ...valuesOf(right)]).toEqual(valuesOf(first));
});

test("watched pages keep no gaps and no overlaps through inserts and removals", async () => {
  const live = liveClient();
  const owner = await owning(numbers(6).map((n) => n * 10));
  const first = watch(live, things.page, { owner, paginationOpts: { numItems: 2, cursor: null } });
  const { continueCursor } = await first.until(() => true);
  const second = watch(live, things.page, {
    owner,
    paginationOpts: { numItems: 2, cursor: continueCursor },
  });
  const { continueCursor: end } = await second.until(() => true);
  const third = watch(live, things.page, { owner, paginationOpts: { numItems: 2, cursor: end } });
  await third.until(() => true);
  const added = [-5, 5, 10.5, 15, 30.5, 45, 99];
  await live.mutation(things.insertMany, { owner, values: added.map((value) => ({ value })) });
  const pages = [first, second, third].map(({ values }) => valuesOf(values.at(-1)!));
  expect(pages.map((values) => values.length)).toEqual([4, 4, 4]);
  const all = [...numbers(6).map((n) => n * 10), ...added].sort((a, b) => a - b);
  expect(pages.flat()).toEqual(all.slice(0, 12));
});

test("the first page of an empty range is the last", async () => {
  const none = await page(uniqueName(), { numItems: 3, cursor: null });
  expect([valuesOf(none), none.isDone]).toEqual([[], true]);
  const after = await page(uniqueName(), { numItems: 3, cursor: null });
  expect(after.page).toEqual([]);
});

test("a cursor of another query and an invalid cursor are refused", async () => {
  const [one, other] = [await owning([1, 2]), await owning([1, 2])];
  const { continueCursor } = await page(one, { numItems: 1, cursor: null });
  for (const cursor of [continueCursor, "nonsense"]) {
    await expect(page(other, { numItems: 1, cursor })).rejects.toThrow(saying(/InvalidCursor|cursor/));
  }
});
