import { MaxFileSizeExceededError, MultipartParseError } from "@remix-run/multipart-parser";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readForm } from "./readForm.ts";

const boundary = "xx";
const bounds = { fields: 3, contentBytes: 300_000, totalBytes: 400_000 };

/** A body that comes in chunks of these lengths, over and over. */
function bodyOf(bytes: Uint8Array, lengths: readonly number[]): ReadableStream<Uint8Array> {
  let [at, turn] = [0, 0];
  return new ReadableStream({
    pull(controller) {
      const length = lengths[turn++ % lengths.length] ?? 1;
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + length));
      else controller.close();
      at += length;
    },
  });
}

const field = (disposition: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const formOf = (...fields: string[]): Uint8Array =>
  new TextEncoder().encode(`${fields.join("")}--${boundary}--\r\n`);

type Read = {
  readonly name: string | undefined;
  readonly filename: string | undefined;
  readonly text: string;
};

async function read(bytes: Uint8Array, lengths: readonly number[] = [7], skipped?: string): Promise<Read[]> {
  const fields: Read[] = [];
  for await (const { name, filename, content } of readForm(bodyOf(bytes, lengths), boundary, bounds)) {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of content) {
      if (name === skipped) break;
      text += decoder.decode(chunk, { stream: true });
    }
    fields.push({ name, filename, text });
  }
  return fields;
}

it("reads the fields of a form, however its bytes come", async () => {
  // Beginnings of the boundary, and of it twice.
  const text = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "-", "\r\n--", "\r\n--x", "ü"), {
    maxLength: 12,
  });
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(text, text, lengths, async (one, two, each) => {
      const [first, second] = [one.join(""), two.join("")];
      fc.pre(!`${first}\r\n${second}\r\n`.includes(`\r\n--${boundary}`));
      const form = formOf(field('name="a"', first), field('name="b"; filename="c d.jsonl"', second));
      expect(await read(form, each)).toEqual([
        { name: "a", filename: undefined, text: first },
        { name: "b", filename: "c d.jsonl", text: second },
      ]);
    }),
    { numRuns: 200 },
  );
});

it("goes on behind a field that its reader leaves", async () => {
  const form = formOf(field('name="a"', "x".repeat(1_000)), field('name="b"', "rest"));
  const fields = await read(form, [50], "a");
  expect(fields.map(({ name, text }) => [name, text])).toEqual([
    ["a", ""],
    ["b", "rest"],
  ]);
});

it("has one chunk of a large field in memory", async () => {
  const bytes = formOf(field('name="a"', "x".repeat(200_000)));
  const buffers: ArrayBuffer[] = [];
  const body = bodyOf(bytes, [10_000]).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        buffers.push(chunk.buffer as ArrayBuffer);
        controller.enqueue(chunk);
      },
    }),
  );
  for await (const { content } of readForm(body, boundary, bounds)) {
    for await (const _ of content);
  }
  // The header is in the first one, and the last boundary in the last one.
  expect(buffers.slice(1, -1).filter(({ detached }) => !detached)).toEqual([]);
});

it.each([
  ["is empty", new Uint8Array()],
  ["begins with something else", new TextEncoder().encode("{}")],
  ["ends in a field", formOf(field('name="a"', "x")).slice(0, -10)],
  ["ends in a header", new TextEncoder().encode(`--${boundary}\r\nContent-Disp`)],
  ["has an endless header", new TextEncoder().encode(`--${boundary}\r\n${"x".repeat(9_000)}`)],
  ["has too many fields", formOf(...["a", "b", "c", "d"].map((name) => field(`name="${name}"`, "")))],
])("refuses a body that %s", async (_, bytes) => {
  await expect(read(bytes, [1_000])).rejects.toThrow(MultipartParseError);
});

it("stops at a field that is too large, also if nobody reads it", async () => {
  const form = formOf(field('name="a"', "x".repeat(300_001)));
  await expect(read(form, [65_536])).rejects.toThrow(MaxFileSizeExceededError);
  await expect(read(form, [65_536], "a")).rejects.toThrow(MaxFileSizeExceededError);
});
