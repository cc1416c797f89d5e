import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { startCrashingBackend } from "./crashing-backend.ts";
import { httpClient, isEmbedded, liveClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";
import { watch } from "./watch.ts";

const { mail, search } = modules;

/** Convex's results have the newest first if their scores are equal. */
async function found(text: string, bodies: readonly unknown[]): Promise<string[]> {
  const client = httpClient();
  const group = uniqueName();
  await client.mutation(search.put, { group, articles: bodies.map((body) => ({ body })) });
  return client.query(search.bodies, { group, text });
}

describe("results", () => {
  test("a document with any of the terms is found, and more of them come first", async () => {
    expect(await found("red blue", ["red", "green", "blue red", "green green blue"])).toEqual([
      "blue red",
      "red",
      "green green blue",
    ]);
  });

  test("of equal results the newest comes first", async () => {
    expect(await found("same", ["same one", "same two"])).toEqual(["same two", "same one"]);
  });

  test("upper and lower case are the same, and punctuation splits words", async () => {
    expect(await found("HELLO", ["hello, world", "Hello-World", "hell o"])).toEqual([
      "Hello-World",
      "hello, world",
    ]);
    expect(await found("ÄRGER", ["großer Ärger"])).toEqual(["großer Ärger"]);
  });

  test("the last term matches longer words, and only the last one", async () => {
    expect(await found("app", ["apple pie", "app"])).toEqual(["app", "apple pie"]);
    expect(await found("app pie", ["apple", "application", "pies"])).toEqual(["pies"]);
  });

  test("words of more than 31 bytes are not searched", async () => {
    const [short, long] = ["x".repeat(31), "y".repeat(32)];
    expect(await found(short, [short, long])).toEqual([short]);
    expect(await found(long, [short, long])).toEqual([]);
  });

  test("values other than strings are not searched", async () => {
    expect(await found("7", [7, ["7"], { a: "7" }, "7", null, undefined])).toEqual(["7"]);
  });

  test("an empty search finds nothing", async () => {
    expect(await found("", ["word"])).toEqual([]);
    expect(await found("?!", ["word ?!"])).toEqual([]);
  });

  test("the first 16 terms count", async () => {
    const many = Array.from({ length: 16 }, (_, n) => `n${n}x`);
    expect(await found(`${many.join(" ")} last`, ["n15x", "last"])).toEqual(["n15x"]);
  });

  test("a nested field is searched", async () => {
    const client = httpClient();
    const word = `w${uniqueName()
      .replaceAll(/[^a-z0-9]/gu, "")
      .slice(1, 25)}`;
    await client.mutation(search.put, {
      group: uniqueName(),
      articles: [{ body: "hit", place: { about: `about ${word}` } }, { body: word }],
    });
    const conditions = [{ is: "search", field: "place.about", value: word }];
    expect(await client.query(search.loose, { index: "search_about", conditions })).toEqual(["hit"]);
  });

  test("first, take, loops, unique and filter work on results", async () => {
    const client = httpClient();
    const group = uniqueName();
    const articles = [
      { body: "tea", place: { city: "Oslo" } },
      { body: "tea milk", place: { city: "Rome" } },
      { body: "tea milk sugar", place: { city: "Oslo" } },
    ];
    await client.mutation(search.put, { group, articles });
    const all = ["tea", "tea milk", "tea milk sugar"];
    expect(await client.query(search.taken, { group, text: "tea", count: 2, city: "Oslo" })).toEqual({
      first: "tea",
      taken: all.slice(0, 2),
      looped: all,
      inCity: ["tea", "tea milk sugar"],
      unique: expect.stringContaining("unique() query returned more than one result") as string,
    });
    const one = await client.query(search.taken, { group, text: "sugar", count: 0, city: "" });
    expect(one.unique).toBe("tea milk sugar");
  });

  test("a component's table is searched, and only that of its mount", async () => {
    const client = httpClient();
    const box = uniqueName();
    await client.mutation(mail.put, { box, text: "dear reader" });
    expect(await client.query(mail.search, { box, text: "read" })).toEqual(["dear reader"]);
    expect(await client.query(mail.search, { box: uniqueName(), text: "read" })).toEqual([]);
  });
});

describe("filters", () => {
  test("all conditions must hold, by value, type and absence", async () => {
    const client = httpClient();
    const group = uniqueName();
    const articles = [
      { body: "a", topic: 1 },
      { body: "a b", topic: 1n },
      { body: "a b c", topic: "1" },
      { body: "a b c d" },
      { body: "a b c d e", topic: null, place: { city: "Rome" } },
    ];
    await client.mutation(search.put, { group, articles });
    const where = (conditions: { field: string; value?: unknown }[]) =>
      client.query(search.loose, {
        index: "search_body",
        conditions: [
          { is: "search", field: "body", value: "a" },
          { is: "eq", field: "group", value: group },
          ...conditions.map((each) => ({ is: "eq", ...each })),
        ],
      });
    expect(await where([])).toEqual(["a", "a b", "a b c", "a b c d", "a b c d e"]);
    expect(await where([{ field: "topic", value: 1 }])).toEqual(["a"]);
    expect(await where([{ field: "topic", value: 1n }])).toEqual(["a b"]);
    expect(await where([{ field: "topic", value: "1" }])).toEqual(["a b c"]);
    expect(await where([{ field: "topic" }])).toEqual(["a b c d"]);
    expect(await where([{ field: "topic", value: null }])).toEqual(["a b c d e"]);
    expect(await where([{ field: "place.city", value: "Rome" }])).toEqual(["a b c d e"]);
    expect(
      await where([
        { field: "place.city", value: "Rome" },
        { field: "topic", value: 1 },
      ]),
    ).toEqual([]);
  });
});

describe("limits and errors", () => {
  const text = { is: "search", field: "body", value: "a" };
  const group = { is: "eq", field: "group", value: "g" };
  const against = "Search query against articles.search_body";

  test.each<[string, string, (typeof text)[], string]>([
    ["an unknown index", "search_none", [text], "Index articles.search_none not found."],
    ["an ordinary index", "by_group", [text], "Index articles.by_group is not a search index"],
    ["a staged index", "search_topic", [text], "Index articles.search_topic is currently staged"],
    [
      "another search field",
      "search_body",
      [{ ...text, field: "topic" }],
      `${against} contains a search filter against "topic", which doesn't match the indexed \`searchField\` "body".`,
    ],
    [
      "no search",
      "search_body",
      [group],
      `${against} does not contain any search filters. You must include a search filter like \`q.search(""body"", searchText)\`.`,
    ],
    [
      "two searches",
      "search_body",
      [text, text],
      `${against} contains multiple search filters against "body". Only one is allowed.`,
    ],
    [
      "a field that is no filter field",
      "search_body",
      [text, { ...group, field: "body" }],
      `${against} contains an equality filter on "body" but that field isn't indexed for filtering in \`filterFields\`.`,
    ],
    [
      "nine conditions",
      "search_body",
      [text, ...Array.from({ length: 9 }, () => group)],
      `${against} has too many filter conditions. Max: 8 Actual: 9`,
    ],
  ])("a search with %s is refused", async (_, index, conditions, message) => {
    await expect(httpClient().query(search.loose, { index, conditions })).rejects.toThrow(saying(message));
  });

  test("eight conditions are accepted, in any order", async () => {
    const conditions = [...Array.from({ length: 8 }, () => group), text];
    expect(await httpClient().query(search.loose, { index: "search_body", conditions })).toEqual([]);
  });

  test("results have no other order", async () => {
    await expect(
      httpClient().query(search.loose, { index: "search_body", conditions: [text], desc: true }),
    ).rejects.toThrow(saying("Search queries must always be in relevance order."));
  });

  test("a search index is no ordinary index", async () => {
    await expect(httpClient().query(search.ranged, {})).rejects.toThrow(
      saying("Index articles.search_body is not a database index"),
    );
  });

  test("a search reads at most 1,024 documents", async () => {
    const client = httpClient();
    const group = uniqueName();
    const articles = Array.from({ length: 1_024 }, (_, n) => ({ body: `many ${n}` }));
    await client.mutation(search.put, { group, articles });
    await expect(client.query(search.bodies, { group, text: "many" })).rejects.toThrow(
      saying("Search query scanned too many documents (fetched 1024)."),
    );
    const first = await client.query(search.page, {
      group,
      text: "many",
      paginationOpts: { numItems: 1_024, cursor: null },
    });
    expect(first.page).toHaveLength(1_024);
    // More than three quarters of what a search may read. Splitting it would save nothing.
    expect([first.pageStatus, first.splitCursor ?? null]).toEqual(["SplitRecommended", null]);
  });
});

describe("pages", () => {
  test("consecutive pages have no gap and no overlap", async () => {
    const client = httpClient();
    const group = uniqueName();
    const articles = Array.from({ length: 25 }, (_, n) => ({ body: `page ${"word ".repeat(n % 3)}${n}` }));
    await client.mutation(search.put, { group, articles });
    const read: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 10; pages++) {
      const paginationOpts: { numItems: number; cursor: string | null } = { numItems: 10, cursor };
      const next: Awaited<ReturnType<typeof readPage>> = await readPage(paginationOpts);
      read.push(...next.page);
      cursor = next.continueCursor;
      if (next.isDone) break;
    }
    expect(read).toEqual(await client.query(search.bodies, { group, text: "page" }));
    expect(read).toHaveLength(25);

    function readPage(paginationOpts: { numItems: number; cursor: string | null }) {
      return client.query(search.page, { group, text: "page", paginationOpts });
    }
  });

  test("a page of a search has no other limits of reads", async () => {
    const client = httpClient();
    const group = uniqueName();
    const articles = Array.from({ length: 5 }, (_, n) => ({ body: `free ${n}` }));
    await client.mutation(search.put, { group, articles });
    for (const limits of [{ maximumRowsRead: 2 }, { maximumBytesRead: 1 }]) {
      const paginationOpts = { numItems: 4, cursor: null, ...limits };
      const { page, pageStatus } = await client.query(search.page, { group, text: "free", paginationOpts });
      expect([page.length, pageStatus ?? null]).toEqual([4, null]);
    }
  });

  test("a watched page keeps its end, and grows with a new match", async () => {
    const client = liveClient();
    const group = uniqueName();
    const bodies = ["key", "key a", "key a b", "key a b c"];
    await client.mutation(search.put, { group, articles: bodies.map((body) => ({ body })) });
    const args = { group, text: "key", paginationOpts: { numItems: 2, cursor: null } };
    const seen = watch(client, search.page, args);
    expect((await seen.until(() => true)).page).toEqual(["key", "key a"]);
    await client.mutation(search.put, { group, articles: [{ body: "key key key" }] });
    const after = await seen.until(({ page }) => page.includes("key key key"));
    expect(after.page).not.toContain("key a b c");
  });
});

describe("live queries", () => {
  test("a search runs again when a match is added, changed or removed", async () => {
    const client = liveClient();
    const group = uniqueName();
    const seen = watch(client, search.bodies, { group, text: "news" });
    await seen.until((bodies) => bodies.length === 0);
    const [id] = await client.mutation(search.put, { group, articles: [{ body: "news today" }] });
    await seen.until((bodies) => bodies[0] === "news today");
    await client.mutation(search.change, { id: id!, fields: { body: "newspaper" } });
    await seen.until((bodies) => bodies[0] === "newspaper");
    await client.mutation(search.change, { id: id!, fields: { body: "paper" } });
    await seen.until((bodies) => bodies.length === 0);
    await client.mutation(search.change, { id: id!, fields: { body: "no news" } });
    await seen.until((bodies) => bodies[0] === "no news");
    await client.mutation(search.remove, { id: id! });
    await seen.until((bodies) => bodies.length === 0 && seen.values.length > 4);
  });

  test("a search does not run again for documents without its terms", async () => {
    const client = liveClient();
    const group = uniqueName();
    const seen = watch(client, search.counted, { group, text: "wanted" });
    const first = await seen.until(() => true);
    await client.mutation(search.put, { group, articles: [{ body: "other" }] });
    await sleep(300);
    expect(seen.values).toEqual([first]);
    await client.mutation(search.put, { group, articles: [{ body: "wanted" }] });
    expect((await seen.until(({ count }) => count === 1)).run).not.toBe(first.run);
  });
});

describe("transactions", () => {
  test("a mutation finds its own writes", async () => {
    expect(await httpClient().mutation(search.ownWrites, { group: uniqueName() })).toEqual([
      [],
      ["first draft"],
      ["second draft"],
      [],
      [],
    ]);
  });

  test("mutations that search and write take effect one by one", async () => {
    const group = uniqueName();
    const counts = await Promise.all(
      Array.from({ length: 4 }, () => httpClient().mutation(search.count, { group })),
    );
    expect(counts.sort()).toEqual([0, 1, 2, 3]);
  });
});

test.skipIf(!isEmbedded)("a search finds everything again after kill -9", async () => {
  const backend = await startCrashingBackend();
  const group = uniqueName();
  const put = async (body: string): Promise<void> => {
    await liveClient(backend.url).mutation(search.put, { group, articles: [{ body }] });
  };
  await put("crash one");
  await backend.crash();
  await put("crash two");
  const [client] = [liveClient(backend.url)];
  expect(await client.query(search.bodies, { group, text: "crash" })).toEqual(["crash two", "crash one"]);
  await backend.crash();
  expect(await client.query(search.bodies, { group, text: "crash" })).toEqual(["crash two", "crash one"]);
});
