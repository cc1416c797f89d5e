import { ConvexHttpClient } from "convex/browser";
import { describe, expect, test } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { startCrashingBackend } from "./crashing-backend.ts";
import { httpClient, isEmbedded, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";

const { vectors } = modules;

type Memory = { name: string; vector?: unknown; kind?: unknown; more?: { vector: number[] } };
type Options = {
  index?: string;
  vector: number[];
  limit?: number;
  any?: { field: string; value?: unknown }[];
};

/** Puts memories into a group of their own. Searches return names and scores, by default within the group. */
async function putMemories(memories: Memory[], client = httpClient()) {
  const group = uniqueName();
  const ids = await client.mutation(vectors.put, { group, memories });
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const search = async (options: Options): Promise<[name: string | undefined, score: number][]> => {
    const found = await client.action(vectors.search, {
      any: [{ field: "group", value: group }],
      ...options,
    });
    return found.map(({ id, score }) => [names.get(id), Math.round(score * 10_000) / 10_000]);
  };
  return { client, group, ids, search };
}

describe("results", () => {
  test("the nearest come first, with the cosine as score, whatever their length", async () => {
    const { search } = await putMemories([
      { name: "opposite", vector: [-1, 0, 0] },
      { name: "right angle", vector: [0, 0, 5] },
      { name: "near", vector: [3, 4, 0] },
      { name: "same", vector: [10, 0, 0] },
    ]);
    expect(await search({ vector: [2, 0, 0] })).toEqual([
      ["same", 1],
      ["near", 0.6],
      ["right angle", 0],
      ["opposite", -1],
    ]);
  });

  test("there are 10 results, or as many as the limit says", async () => {
    const memories = Array.from({ length: 12 }, (_, n) => ({ name: `m${n}`, vector: [1, n, 0] }));
    const { search } = await putMemories(memories);
    expect(await search({ vector: [1, 0, 0] })).toHaveLength(10);
    expect((await search({ vector: [1, 0, 0], limit: 2 })).map(([name]) => name)).toEqual(["m0", "m1"]);
    expect(await search({ vector: [1, 0, 0], limit: 256 })).toHaveLength(12);
  });

  test("only arrays of floats of the index's length are found", async () => {
    const { search } = await putMemories([
      { name: "short", vector: [1, 0] },
      { name: "long", vector: [1, 0, 0, 0] },
      { name: "int64", vector: [1n, 0n, 0n] },
      { name: "mixed", vector: [1, "0", 0] },
      { name: "text", vector: "1,0,0" },
      { name: "absent" },
      { name: "fits", vector: [1, 0, 0] },
    ]);
    expect(await search({ vector: [1, 0, 0] })).toEqual([["fits", 1]]);
  });

  test("a nested field is searched", async () => {
    const { search } = await putMemories([{ name: "nested", more: { vector: [0.123, 45.6] } }]);
    const found = await search({ index: "by_more", vector: [0.123, 45.6], limit: 256, any: [] });
    expect(found).toContainEqual(["nested", 1]);
  });

  test("results are those after the last change", async () => {
    const { client, ids, search } = await putMemories([
      { name: "a", vector: [1, 0, 0] },
      { name: "b", vector: [0, 1, 0] },
    ]);
    await client.mutation(vectors.change, { id: ids["b"] as never, vector: [1, 0, 0] });
    await client.mutation(vectors.change, { id: ids["a"] as never, vector: [0, 0, 1] });
    expect(await search({ vector: [1, 0, 0] })).toEqual([
      ["b", 1],
      ["a", 0],
    ]);
    await client.mutation(vectors.remove, { id: ids["b"] as never });
    expect(await search({ vector: [1, 0, 0] })).toEqual([["a", 0]]);
  });
});

describe("filters", () => {
  test("a document is found if one of the comparisons holds", async () => {
    const kinds = uniqueName();
    const { search } = await putMemories([
      { name: "x", vector: [1, 0, 0], kind: `${kinds} x` },
      { name: "y", vector: [1, 1, 0], kind: `${kinds} y` },
      { name: "z", vector: [1, 2, 0], kind: `${kinds} z` },
    ]);
    const names = async (...values: string[]) => {
      const any = values.map((value) => ({ field: "kind", value: `${kinds} ${value}` }));
      return (await search({ vector: [1, 0, 0], any })).map(([name]) => name);
    };
    expect(await names("y")).toEqual(["y"]);
    expect(await names("z", "x")).toEqual(["x", "z"]);
    expect(await names("x", "x")).toEqual(["x"]);
    expect(await names("none")).toEqual([]);
  });

  test("comparisons of different fields are alternatives, too, and undefined means absence", async () => {
    const kind = uniqueName();
    const other = await putMemories([{ name: "other", vector: [1, 0, 0], kind }]);
    const mine = await putMemories([{ name: "mine", vector: [1, 0, 0] }], other.client);
    const any = [
      { field: "kind", value: kind },
      { field: "group", value: mine.group },
    ];
    expect(await mine.search({ vector: [1, 0, 0], any })).toHaveLength(2);
    const absent = await mine.search({ vector: [1, 0, 0], any: [{ field: "kind" }], limit: 256 });
    expect(absent).toContainEqual(["mine", 1]);
    expect(absent).not.toContainEqual(["other", 1]);
  });
});

describe("limits and errors", () => {
  const vector = [1, 0, 0];
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ field: "kind", value: `k${n}` }));

  test.each<[string, Options, string]>([
    ["an unknown index", { vector, index: "by_none" }, "Index memories.by_none not found."],
    ["a staged index", { vector, index: "by_later" }, "Index memories.by_later is currently staged"],
    ["too few dimensions", { vector: [1, 0] }, "Expected a vector with dimensions 3, received 2."],
    ["an empty vector", { vector: [] }, "`vector` must be a non-empty Array in vectorSearch"],
    [
      "too many results",
      { vector, limit: 257 },
      "Vector queries can fetch at most 256 results, requested 257.",
    ],
    [
      "a field that is no filter field",
      { vector, any: [{ field: "name", value: "a" }] },
      'Vector query against memories.by_vector contains a filter on "name" but that field isn\'t indexed for filtering in `filterFields`.',
    ],
    [
      "too many comparisons",
      { vector, any: many(65) },
      "Vector query against memories.by_vector has too many conditions. Max: 64 Actual: 65",
    ],
  ])("a search with %s is refused", async (_, options, message) => {
    await expect(httpClient().action(vectors.search, options)).rejects.toThrow(saying(message));
  });

  test.each([-1, 1.5])("a limit of %s is refused", async (limit) => {
    await expect(httpClient().action(vectors.search, { vector, limit })).rejects.toThrow();
  });

  test("64 comparisons are accepted", async () => {
    expect(await httpClient().action(vectors.search, { vector, any: many(64) })).toEqual([]);
  });

  test("a filter is made of comparisons", async () => {
    await expect(httpClient().action(vectors.searchByLiteral, {})).rejects.toThrow(
      saying("Filters should be a combination of `q.eq` and `q.or`."),
    );
  });
});

test.skipIf(!isEmbedded)("vectors are found again after kill -9", async () => {
  const backend = await startCrashingBackend();
  const { search } = await putMemories(
    [
      { name: "a", vector: [1, 0, 0] },
      { name: "b", vector: [0, 1, 0] },
    ],
    new ConvexHttpClient(backend.url),
  );
  const before = await search({ vector: [1, 0, 0] });
  await backend.crash();
  expect(await search({ vector: [1, 0, 0] })).toEqual(before);
});
