import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { energySources } from "../../app/energy/job-energy.ts";
import { type Receipt, receiptSchema } from "../../app/receipts/receipt.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/** The receipts of a real donor's answers, checked by the command without the backend. */
let farm: Farm;
let folder: string;

beforeAll(async () => {
  farm = await startFarm();
  folder = await mkdtemp(join(tmpdir(), "gleaner-receipts-"));
  await farm.startDonor("signing");
});
afterAll(async () => {
  await farm.close();
  await rm(folder, { recursive: true });
});

async function call(path: string, body?: object): Promise<Response> {
  return await fetch(`${farm.backend.siteUrl}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${farm.organization.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function verify(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const gleaner = resolve(import.meta.dirname, "../../cli/gleaner.ts");
  return new Promise((done) => {
    execFile(process.execPath, [gleaner, "verify", ...args], (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), text: out + err }),
    );
  });
}

/** Waits for the next seal, which comes within two minutes. */
async function sealedReceipt(jobId: string): Promise<Receipt> {
  for (;;) {
    const receipt = receiptSchema.parse(await (await call(`/v1/jobs/${jobId}/receipt`)).json());
    if (receipt.seal !== null) return receipt;
    await sleep(2_000);
  }
}

test("a donor's answer has a receipt that fits it, and no longer once something was changed", async () => {
  const messages = [{ role: "user", content: "What is the capital of Norway?" }];
  const response = await call("/v1/chat/completions", { model: farm.modelId, messages });
  expect(response.status).toBe(200);
  const { headers } = response;
  expect(Number(headers.get("x-gleaner-energy-wh"))).toBeGreaterThan(0);
  expect(energySources).toContain(headers.get("x-gleaner-energy-source"));
  const jobId = String(headers.get("x-gleaner-job"));
  const answer = join(folder, "answer.json");
  await writeFile(answer, await response.text());
  const embedded = await call("/v1/embeddings", { model: farm.modelId, input: "Oslo" });
  const embedding = { id: String(embedded.headers.get("x-gleaner-job")), file: join(folder, "vectors.json") };
  await writeFile(embedding.file, await embedded.text());

  const receipt = await sealedReceipt(jobId);
  expect(receipt.claim.report.model).toBe(headers.get("x-gleaner-model-sha256"));
  expect(receipt.settled.priceMicro).toBe(headers.get("x-gleaner-price"));
  const file = join(folder, "receipt.json");
  await writeFile(file, JSON.stringify(receipt));
  expect(await verify(file, "--answer", answer)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^OK\./) as string,
  });

  const ofVectors = join(folder, "vectors-receipt.json");
  await writeFile(ofVectors, JSON.stringify(await sealedReceipt(embedding.id)));
  expect(await verify(ofVectors, "--answer", embedding.file)).toMatchObject({ code: 0 });
  expect(await verify(ofVectors, "--answer", answer)).toMatchObject({ code: 1 });

  const text = await readFile(file, "utf8");
  const { microWh } = z.object({ microWh: z.number() }).parse(receipt.claim.report.energy);
  for (const [before, after] of [
    [`"microWh":${String(microWh)}`, `"microWh":${String(microWh + 1)}`],
    [`"priceMicro":"${receipt.settled.priceMicro}"`, '"priceMicro":"0"'],
    [receipt.claim.answerHash, "0".repeat(64)],
  ] as const) {
    expect(text).toContain(before);
    await writeFile(file, text.replace(before, after));
    expect(await verify(file)).toMatchObject({ code: 1, text: expect.stringMatching(/^Not OK\./) as string });
  }
}, 600_000);
