import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

/** Looks for the texts of requests in the bytes of the database, on a real backend. */
const marker = `Quokka${randomBytes(6).toString("hex")}`;

/** An idempotency key, which is not encrypted. */
const shownMarker = `Shown${randomBytes(6).toString("hex")}`;

let farm: Farm;
let client: ConvexHttpClient;
let session: string;

beforeAll(async () => {
  farm = await startFarm();
  client = new ConvexHttpClient(farm.backend.url, { logger: false });
  session = makeSecret("gs_");
  await client.mutation(api.console.account.signIn, { token: farm.organization.signInToken, session });
  await client.mutation(api.console.payloads.setAccess, { session, ownersMayLook: true });
});
afterAll(async () => {
  await farm.close();
});

/** The files of the database, with its log of writes, that have a text. */
async function filesWith(text: string): Promise<readonly string[]> {
  const { path, dataFile } = farm.folder;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => file.startsWith(dataFile));
  expect(files.length).toBeGreaterThan(1);
  const contents = await Promise.all(files.map(async (file) => await readFile(file)));
  return files.filter((_file, at) => contents[at]?.includes(text));
}

const chat = (): string =>
  JSON.stringify({
    model: farm.modelId,
    messages: [{ role: "user", content: `Repeat: ${marker}` }],
    max_completion_tokens: 200,
  });

test("a prompt that waits for a device is not in the bytes of the database", async () => {
  const headers = {
    authorization: `Bearer ${farm.organization.apiKey}`,
    "content-type": "application/json",
    prefer: "respond-async",
  };
  const url = `${farm.backend.siteUrl}/v1/chat/completions`;
  const named = { ...headers, "idempotency-key": shownMarker };
  const asked = await fetch(url, { method: "POST", body: chat(), headers: named });
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as { readonly id: string };
  const seen = await client.mutation(api.console.payloads.look, { session, jobId: id });
  expect(JSON.stringify(seen.request)).toContain(marker);
  expect(await filesWith(marker)).toEqual([]);
  // The files do have what is not encrypted.
  expect(await filesWith(shownMarker)).not.toEqual([]);
  await client.action(api.console.data.keys.destroy, { session });
  const gone = await client.mutation(api.console.payloads.look, { session, jobId: id });
  expect(gone.request).toBeNull();
});
