import type { JSONValue } from "convex/values";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { QueryRun } from "../contract/function-runner.ts";
import { type Fixture, openFixture, request } from "../runtime.fixture.ts";

type Page = {
  readonly page: readonly { readonly rank: number }[];
  readonly isDone: boolean;
  readonly continueCursor: string;
  readonly splitCursor: string | null;
  readonly pageStatus: string | null;
};

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openFixture();
  for (let rank = 1; rank <= 7; rank += 1) await add(rank);
});
afterEach(() => fixture.engine.close());

const add = (rank: number): Promise<JSONValue> => fixture.call("notes:add", { text: "n", rank });

async function page(
  options: { readonly [name: string]: JSONValue },
  journal: string | null = null,
): Promise<Page & { readonly ranks: number[]; readonly run: QueryRun }> {
  const args = { paginationOpts: { numItems: 3, cursor: null, ...options } };
  const run = await fixture.runner.runQuery({ ...request("notes:page", args), journal });
  if (run.outcome.kind === "failure") throw new Error(run.outcome.message);
  const value = run.outcome.value as unknown as Page;
  return { ...value, ranks: value.page.map(({ rank }) => rank), run };
}

test("pages continue to the end of the range", async () => {
  const first = await page({});
  const second = await page({ cursor: first.continueCursor });
  const third = await page({ cursor: second.continueCursor });
  expect([first, second, third].map(({ ranks, isDone }) => [ranks, isDone])).toEqual([
    [[7, 6, 5], false],
    [[4, 3, 2], false],
    [[1], true],
  ]);
  expect((await page({ cursor: third.continueCursor })).ranks).toEqual([]);
});

test("a page that runs again with its journal keeps its end and includes new documents before it", async () => {
  const first = await page({});
  await add(5.5);
  await add(4.5);
  const again = await page({}, first.run.journal);
  expect(again.ranks).toEqual([7, 6, 5.5, 5]);
  const next = await page({ cursor: again.continueCursor });
  expect(next.ranks).toEqual([4.5, 4, 3]);
});

test("a page's read set ends with the page", async () => {
  const first = await page({});
  const invalidated: string[] = [];
  fixture.engine.subscribe(first.run.readSet, first.run.ts, () => invalidated.push("first"));
  await add(4.5);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(invalidated).toEqual([]);
  await add(6.5);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(invalidated).toEqual(["first"]);
});

test("a page splits in two at its split cursor", async () => {
  const whole = await page({ numItems: 5 });
  const left = await page({ endCursor: whole.splitCursor });
  const right = await page({ cursor: whole.splitCursor, endCursor: whole.continueCursor });
  expect([...left.ranks, ...right.ranks]).toEqual(whole.ranks);
  expect(left.ranks).toHaveLength(3);
});

test("a page ends early at its limit of rows read", async () => {
  const short = await page({ maximumRowsRead: 2 });
  expect([short.ranks, short.pageStatus, short.isDone]).toEqual([[7, 6], "SplitRequired", false]);
  expect((await page({ cursor: short.continueCursor })).ranks).toEqual([5, 4, 3]);
});

test("a cursor ends with the index that it was made for", async () => {
  const { continueCursor } = await page({});
  const { engine } = fixture;
  const notes = engine.definitionOf("notes")!;
  const indexes = notes.indexes.map((index) =>
    index.name === "by_rank" ? { ...index, fields: ["rank", "text"] } : index,
  );
  engine.applySchema([{ ...notes, indexes }]);
  await expect(page({ cursor: continueCursor })).rejects.toThrow(/InvalidCursor/);
});

test.each<[{ readonly [name: string]: JSONValue }, RegExp]>([
  [{ cursor: "forged" }, /InvalidCursor/],
  [{ numItems: 0 }, /Must request at least 1 document while paginating/],
  [{ maximumRowsRead: 0 }, /must be greater than 0/],
])("the pagination options %j are refused", async (options, message) => {
  await expect(page(options)).rejects.toThrow(message);
});

test("an unreadable journal is ignored", async () => {
  expect((await page({}, "{nonsense")).ranks).toEqual([7, 6, 5]);
});
