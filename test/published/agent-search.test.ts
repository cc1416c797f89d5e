import { beforeAll, expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("agent");
const [walk, tax, rain] = ["Take the puppy out", "Pay the invoice today", "Bring an umbrella today"];
let threadId: unknown;

type Search = { readonly userId?: string; readonly threadId?: unknown; readonly limit?: number };
const find = (by: "text" | "vector" | "both", searchText: string, search: Search = {}) =>
  app.action("search:find", { by, searchText, userId: "ann", ...search }) as Promise<string[]>;

beforeAll(async () => {
  const start = (userId: string, title: string) => app.mutation("chat:start", { userId, title });
  threadId = await start("ann", "Things to do in spring");
  await app.action("search:save", { threadId, userId: "ann", texts: [walk, tax] });
  const other = await start("ann", "Things to buy in autumn");
  await app.action("search:save", { threadId: other, userId: "ann", texts: [rain] });
  const foreign = await start("bob", "Spring");
  await app.action("search:save", { threadId: foreign, userId: "bob", texts: [`${walk} too`] });
});

test("text search finds a user's messages by their words, in all threads or in one", async () => {
  expect((await find("text", "today")).sort()).toEqual([rain, tax]);
  expect(await find("text", "today", { threadId })).toEqual([tax]);
  expect(await find("text", "umbr")).toEqual([rain]);
  expect(await find("text", "dog")).toEqual([]);
  expect(await find("text", "puppy", { userId: "bob" })).toEqual([`${walk} too`]);
});

test("vector search finds the message that is nearest in meaning", async () => {
  expect(await find("vector", "dog", { limit: 1 })).toEqual([walk]);
  expect(await find("vector", "bill", { limit: 1 })).toEqual([tax]);
  expect(await find("vector", "cloud", { limit: 1 })).toEqual([rain]);
  expect(await find("vector", "dog", { userId: "bob", limit: 1 })).toEqual([`${walk} too`]);
});

test("a search by text and vector finds what either finds", async () => {
  expect((await find("both", "the dog today", { limit: 3 })).sort()).toEqual([rain, tax, walk]);
});

test("threads are found by their titles", async () => {
  expect(await app.query("search:titles", { userId: "ann", words: "spring" })).toEqual([
    "Things to do in spring",
  ]);
  expect(((await app.query("search:titles", { userId: "ann", words: "things" })) as string[]).length).toBe(2);
});
