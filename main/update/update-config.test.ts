import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readUpdateConfig } from "./update-config.ts";

let path: string;
beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), "gleaner-update-config-")), "updates.json");
});
afterAll(() => rm(join(path, ".."), { recursive: true }));

const key = "a".repeat(43);

async function read(value: object) {
  await writeFile(path, JSON.stringify(value));
  return await readUpdateConfig(path);
}

it("is absent in a checkout's program without the file", async () => {
  expect(await readUpdateConfig(join(path, "nowhere"))).toBeNull();
});

it("names no server in this repository", async () => {
  const own = new URL("../../resources/updates.json", import.meta.url);
  expect(JSON.parse(await readFile(own, "utf8"))).toEqual({ server: null, key: null });
  expect(await readUpdateConfig(own.pathname)).toMatchObject({ server: null, key: null });
});

it("takes the address of a folder, with or without a slash at its end", async () => {
  for (const server of ["https://example.org/gleaner", "https://example.org/gleaner/"]) {
    expect(await read({ server, key })).toMatchObject({ server: "https://example.org/gleaner/", key });
  }
});

it.each([
  [{ server: "http://example.org/", key }, /https/],
  [{ server: "ftp://example.org/", key }, /server/],
  [{ server: null, key: "short" }, /key/],
])("refuses %j", async (value, words) => {
  await expect(read(value)).rejects.toThrow(words);
});

it("allows a server without encryption on the same computer", async () => {
  expect(await read({ server: "http://127.0.0.1:8000/", key })).toMatchObject({
    server: "http://127.0.0.1:8000/",
  });
});
