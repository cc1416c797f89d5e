import { ConvexError, type Value } from "convex/values";
import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
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

type Options = {
  readonly numItems: number;
  readonly cursor: string | null;
  readonly endCursor?: string;
  readonly maximumRowsRead?: number;
  readonly maximumBytesRead?: number;
};
const page = (owner: string, paginationOpts: Options, order?: "desc") =>
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

test("a page with an end cursor ignores its limits, so that no row falls between two pages", async () => {
  const owner = await owning(numbers(10));
  const { continueCursor: endCursor } = await page(owner, { numItems: 8, cursor: null });
  const options = { numItems: 2, cursor: null, endCursor };
  for (const limits of [{ maximumRowsRead: 2 }, { maximumBytesRead: 1 }]) {
    const whole = await page(owner, { ...options, ...limits });
    expect(valuesOf(whole)).toEqual(numbers(8));
    expect(whole.continueCursor).toBe(endCursor);
    // It has read more than three quarters of its limit.
    expect(whole.pageStatus).toBe("SplitRecommended");
  }
});

test("a page that reads its maximum of bytes requires a split, and has at least one row", async () => {
  const owner = await owning(numbers(3));
  const short = await page(owner, { numItems: 3, cursor: null, maximumBytesRead: 1 });
  expect([valuesOf(short), short.isDone, short.pageStatus]).toEqual([[0], false, "SplitRequired"]);
});

test.each([
  ["has read three quarters of its rows", 3, null],
  ["has read more than three quarters of its rows", 4, "SplitRecommended"],
])("a page that %s has the status for it", async (_, numItems, pageStatus) => {
  const owner = await owning(numbers(6));
  const read = await page(owner, { numItems, cursor: null, maximumRowsRead: 4 });
  expect([valuesOf(read), read.pageStatus]).toEqual([numbers(numItems), pageStatus]);
});

test("a page of more than two read rows has a split cursor after the one in its middle", async () => {
  const owner = await owning(["hidden", ...numbers(4), "hidden"]);
  const two = await page(owner, { numItems: 2, cursor: null });
  expect(two.splitCursor ?? null).toBeNull();
  const all = await page(owner, { numItems: 6, cursor: null });
  const endCursor = all.splitCursor!;
  // Read: 0, 1, 2, 3, hidden, hidden. Rows that a filter drops count too.
  const left = await page(owner, { numItems: 6, cursor: null, endCursor });
  expect(valuesOf(left)).toEqual([0, 1, 2, 3]);
});

test("a page of more than three quarters of the longest array should be split", async () => {
  const live = liveClient();
  const channel = uniqueName();
  for (const count of [3000, 3000, 145]) await live.mutation(api.messages.sendMany, { channel, count });
  const read = (numItems: number) =>
    live.query(api.messages.page, { channel, paginationOpts: { numItems, cursor: null } });
  expect((await read(6144)).pageStatus ?? null).toBeNull();
  const long = await read(6145);
  expect([long.page.length, long.pageStatus]).toEqual([6145, "SplitRecommended"]);
});

test("a page that reaches the limit of a function's reads is split instead of failing", async () => {
  const live = liveClient();
  const channel = uniqueName();
  for (const count of [9, 9]) await live.mutation(api.messages.sendMany, { channel, count, size: 990_000 });
  const read = (cursor: string | null, endCursor: string | null = null) =>
    live.query(modules.messages.numbersOfPage, {
      channel,
      paginationOpts: { numItems: 18, cursor, endCursor },
    });
  const first = await read(null);
  expect([first.isDone, first.pageStatus]).toEqual([false, "SplitRequired"]);
  expect(first.numbers.length).toBeGreaterThan(10);
  const rest = await read(first.continueCursor);
  expect([...first.numbers, ...rest.numbers]).toEqual(numbers(9).flatMap((n) => [n, n]));
  const left = await read(null, first.splitCursor);
  const right = await read(first.splitCursor!, first.continueCursor);
  expect([...left.numbers, ...right.numbers]).toEqual(first.numbers);
  // A page with an end is never cut silently.
  const whole = await read(null, rest.continueCursor);
  expect([whole.numbers, whole.continueCursor]).toEqual([first.numbers, rest.continueCursor]);
  expect(whole.pageStatus).toBe("SplitRequired");
});

test.each([
  [{ numItems: 0 }, "Must request at least 1 document while paginating"],
  [{ numItems: 32_001 }, "Requested too many items: 32001"],
  [{ numItems: 2.5 }, "expected a whole number"],
  [{ maximumRowsRead: 0 }, "maximumRowsRead and maximumBytesRead must be greater than 0"],
  [{ maximumBytesRead: 0 }, "maximumRowsRead and maximumBytesRead must be greater than 0"],
])("the options %j are refused", async (options, words) => {
  const refused = page(uniqueName(), { numItems: 1, cursor: null, ...options });
  await expect(refused).rejects.toThrow(saying(words));
});

test("a page of 32,000 items may be requested", async () => {
  const owner = await owning([1]);
  expect(valuesOf(await page(owner, { numItems: 32_000, cursor: null }))).toEqual([1]);
});

test("equal pages have equal cursors", async () => {
  const owner = await owning(numbers(4));
  const read = () => page(owner, { numItems: 3, cursor: null });
  const [one, other] = [await read(), await read()];
  expect(one.splitCursor).toEqual(expect.any(String));
  expect(other).toEqual(one);
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

test("a cursor of another query fails with data by which a client recognizes it", async () => {
  const { continueCursor: cursor } = await page(await owning([1, 2]), { numItems: 1, cursor: null });
  const failure: unknown = await page(await owning([1, 2]), { numItems: 1, cursor }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ConvexError);
  const { data } = failure as ConvexError<Value>;
  expect(data).toEqual({ isConvexSystemError: true, paginationError: "InvalidCursor" });
});

test("a cursor of another query and an invalid cursor are refused", async () => {
  const [one, other] = [await owning([1, 2]), await owning([1, 2])];
  const { continueCursor } = await page(one, { numItems: 1, cursor: null });
  for (const cursor of [continueCursor, "nonsense"]) {
    await expect(page(other, { numItems: 1, cursor })).rejects.toThrow(saying(/InvalidCursor|cursor/));
  }
});
