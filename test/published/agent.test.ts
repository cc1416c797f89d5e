import { beforeAll, expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("agent");

type Delta = { readonly parts: readonly unknown[] };
type Streams =
  | { readonly kind: "list"; readonly messages: readonly { readonly streamId: string }[] }
  | { readonly kind: "deltas"; readonly deltas: readonly Delta[] };
type Messages = {
  readonly page: readonly { readonly role: string; readonly text: string; readonly status: string }[];
  readonly streams?: Streams;
};

beforeAll(() => app.mutation("chat:setDegrees", { city: "Oslo", degrees: -4 }));

const start = (title?: string) =>
  app.mutation("chat:start", { userId: "ann", ...(title !== undefined && { title }) });
const ask = (threadId: unknown, prompt: string) => app.action("chat:ask", { threadId, prompt });
const firstPage = { numItems: 50, cursor: null };
const listing = (threadId: unknown, streamArgs: object = { kind: "list" }) => ({
  threadId,
  paginationOpts: firstPage,
  streamArgs,
});

async function texts(threadId: unknown): Promise<string[]> {
  const { page } = (await app.query("chat:messages", listing(threadId))) as Messages;
  return page.map(({ role, text }) => `${role}: ${text}`);
}

test("an agent answers in a thread, and reads the thread's earlier messages", async () => {
  const threadId = await start();
  expect(await ask(threadId, "Hello")).toEqual({ text: "I read 1.", steps: 1 });
  expect(await ask(threadId, "Hello again")).toEqual({ text: "I read 2.", steps: 1 });
  expect(await texts(threadId)).toEqual([
    "user: Hello",
    "assistant: I read 1.",
    "user: Hello again",
    "assistant: I read 2.",
  ]);
});

test("an agent calls a tool, which reads the app's tables, and goes on with its result", async () => {
  const threadId = await start();
  expect(await ask(threadId, "What is the temperature in Oslo?")).toEqual({
    text: 'It is "-4 degrees".',
    steps: 2,
  });
  expect(await ask(threadId, "And the temperature in Rome?")).toEqual({
    text: 'It is "unknown".',
    steps: 2,
  });
});

test("an answer streams over the subscription, piece by piece, to any client", async () => {
  const threadId = await start();
  const seen = app.watch("chat:messages", listing(threadId)) as readonly Messages[];
  await app.mutation("chat:send", { threadId, prompt: "one two three four" });
  const streaming = () => seen.flatMap(({ streams }) => (streams?.kind === "list" ? streams.messages : []));
  await expect.poll(() => streaming().length).toBeGreaterThan(0);
  const cursors = [{ streamId: streaming()[0]!.streamId, cursor: 0 }];
  const pieces = app.watch("chat:messages", listing(threadId, { kind: "deltas", cursors })) as typeof seen;
  await expect
    .poll(() => seen.at(-1)?.page.map(({ text, status }) => [text, status]))
    .toEqual([
      ["one two three four", "success"],
      ["You said: one two three four", "success"],
    ]);
  const counts = pieces.flatMap(({ streams }) => (streams?.kind === "deltas" ? [streams.deltas.length] : []));
  expect(new Set(counts).size).toBeGreaterThan(1);
});

test("a deleted thread has no messages", async () => {
  const threadId = await start();
  await ask(threadId, "Hello");
  await app.action("chat:remove", { threadId });
  expect(await texts(threadId)).toEqual([]);
});
