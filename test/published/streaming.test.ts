import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("streaming");
const parts = ["Once ", "upon ", "a time. ", "There ", "was ", "a king. ", "The end"];
type Body = { readonly text: string; readonly status: string };

const stream = (streamId: unknown, texts: readonly string[], signal?: AbortSignal) =>
  fetch(`${app.siteUrl}/chat-stream`, {
    method: "POST",
    body: JSON.stringify({ streamId, parts: texts }),
    ...(signal !== undefined && { signal }),
  });

async function readAll(response: Response): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) pieces.push(piece);
  return pieces;
}

test("one client reads the stream piece by piece, while another sees the stored sentences grow", async () => {
  const streamId = await app.mutation("chat:create");
  const seen = app.watch("chat:body", { streamId }) as readonly Body[];
  await expect.poll(() => seen.at(-1)).toEqual({ text: "", status: "pending" });
  const pieces = await readAll(await stream(streamId, parts));
  expect(pieces.join("")).toBe(parts.join(""));
  expect(pieces.length).toBeGreaterThan(2);
  await expect.poll(() => seen.at(-1)).toEqual({ text: parts.join(""), status: "done" });
  const texts = seen.filter(({ status }) => status === "streaming").map(({ text }) => text);
  const sentences = ["Once upon a time. ", "Once upon a time. There was a king. "];
  expect(texts.length).toBeGreaterThan(0);
  expect(sentences).toEqual(expect.arrayContaining(texts));
});

test("a stream runs once", async () => {
  const streamId = await app.mutation("chat:create");
  expect((await readAll(await stream(streamId, ["Hi."]))).join("")).toBe("Hi.");
  expect((await stream(streamId, ["Again."])).status).toBe(205);
  expect(await app.query("chat:body", { streamId })).toEqual({ text: "Hi.", status: "done" });
});

test("a stream whose reader leaves is still stored to its end", async () => {
  const streamId = await app.mutation("chat:create");
  const controller = new AbortController();
  const response = await stream(streamId, parts, controller.signal);
  await response.body!.getReader().read();
  controller.abort();
  await app.until("chat:body", { streamId }, { text: parts.join(""), status: "done" });
});

test("a stream whose writer fails ends with the status error", async () => {
  const streamId = await app.mutation("chat:create");
  const texts = ["One. ", "fail"];
  await readAll(await stream(streamId, texts)).catch(() => []);
  await app.until("chat:body", { streamId }, { text: "One. ", status: "error" });
});

test("a deleted stream is gone", async () => {
  const streamId = await app.mutation("chat:create");
  await readAll(await stream(streamId, ["Bye."]));
  await app.mutation("chat:remove", { streamId });
  await expect
    .poll(() => app.query("chat:body", { streamId }).catch((error: unknown) => String(error)))
    .toMatch("not found");
});
