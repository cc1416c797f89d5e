import { rm } from "node:fs/promises";
import { test as base } from "@playwright/test";
import { makeClient } from "../../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../../launch/farm/farm.ts";
import { makeSlowModel } from "./slow-model.ts";

type WorkerFixtures = {
  /** A file whose tests change how the owner signs in names a farm of its own. */
  readonly farmName: string;
  /** One farm with the demo model and the built console, for all tests of a file. */
  readonly farm: Farm;
  /** One farm whose only model takes seconds for an answer. */
  readonly slowFarm: Farm;
};

export const test = base.extend<object, WorkerFixtures>({
  farmName: ["shared", { option: true, scope: "worker" }],
  farm: [
    // Playwright starts a new worker, and so a new farm, for another name.
    async ({ farmName: _farmName }, use) => {
      const farm = await startFarm({ console: true });
      await use(farm);
      await farm.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  slowFarm: [
    async ({}, use) => {
      const modelFolder = await makeSlowModel();
      const farm = await startFarm({ modelFolder, console: true });
      await use(farm);
      await farm.close();
      await rm(modelFolder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

export { expect } from "@playwright/test";

/** Requests one answer like any requester and returns its text. */
export async function askFor(
  farm: Farm,
  content: string,
  apiKey = farm.organization.apiKey,
  maxTokens = 128,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const request = {
    model: farm.modelId,
    messages: [{ role: "user" as const, content }],
    temperature: 0,
    max_completion_tokens: maxTokens,
  };
  const client = makeClient(farm.backend.siteUrl, apiKey);
  const completion = await client.chat.completions.create(request, { headers });
  return completion.choices[0]?.message.content ?? "";
}

/**
 * The number of tokens that the farm writes in about `seconds`. Measured, because a fixed number ends too early on a
 * fast machine and takes minutes on a slow one.
 */
export async function tokensLasting(farm: Farm, seconds: number): Promise<number> {
  const { siteUrl } = farm.backend;
  const stream = await makeClient(siteUrl, farm.organization.apiKey).chat.completions.create({
    model: farm.modelId,
    messages: [{ role: "user", content: "How fast?" }],
    temperature: 0,
    max_completion_tokens: 40,
    stream: true,
  });
  const came: number[] = [];
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) came.push(performance.now());
  const tokenMs = ((came.at(-1) ?? 0) - (came[0] ?? 0)) / 40;
  return Math.min(1_800, Math.max(40, Math.ceil((seconds * 1_000) / tokenMs)));
}
