import { expect, test } from "vitest";
import { measured } from "./measured.ts";

async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

test("the bytes are passed on, and their size and hash are known afterward", async () => {
  const bytes = measured(chunks("a", "b", "c"));
  const seen: [string, number][] = [];
  for await (const chunk of bytes.content()) seen.push([chunk.toString(), bytes.size()]);
  expect(seen).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  // SHA-256 of "abc", from FIPS 180.
  expect(bytes.sha256("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("empty content has a hash, too", async () => {
  const bytes = measured(chunks());
  for await (const _ of bytes.content()) expect.unreachable();
  expect([bytes.size(), bytes.sha256("base64")]).toEqual([0, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]);
});

test("the source's error reaches the reader", async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield* chunks("a");
    throw new Error("the disk is gone");
  }
  const read = async (): Promise<void> => {
    for await (const _ of measured(broken()).content());
  };
  await expect(read()).rejects.toThrow("the disk is gone");
});
