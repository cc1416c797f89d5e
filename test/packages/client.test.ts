import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type * as client from "@gleaner/client";
import { chromium } from "@playwright/test";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { installedChromium } from "../../scripts/browser.ts";
import { makeProject, run } from "./project.ts";

/** A project that has only the client's tarball: test/packages/fixtures/client. It asks a running Gleaner. */
let project: string;
let farm: Farm;

/** Serves an empty page in a browser. */
const pages = createServer((_, response) => response.setHeader("content-type", "text/html").end());
let pageOrigin: string;

beforeAll(async () => {
  project = await makeProject("client", "@gleaner/client");
  pages.listen(0, "127.0.0.1");
  await once(pages, "listening");
  pageOrigin = `http://127.0.0.1:${String((pages.address() as AddressInfo).port)}`;
  vi.stubEnv("CORS_ORIGINS", pageOrigin);
  farm = await startFarm();
  await farm.startDonor("answering");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  pages.close();
  await farm.close();
  await rm(dirname(project), { recursive: true, force: true });
});

it("the packed client contains JavaScript and declarations, but no sources or tests", async () => {
  const files = await readdir(join(project, "node_modules/@gleaner/client"), { recursive: true });
  const code = files.filter((file) => /\.[jt]s$/.test(file));
  expect(code.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([]);
  expect(code.filter((file) => /\.(test|fixture)\./.test(file))).toEqual([]);
  expect(files).toContain("README.md");
});

it("a program in TypeScript asks and watches, with the types of OpenAI's requests", async () => {
  const bin = (name: string): string => join(project, "node_modules/.bin", name);
  await run(project, bin("tsc"), "--noEmit", "-p", ".");
  const said = await run(project, "env", ...environment(), process.execPath, "ask.ts");
  const { watched, answer } = JSON.parse(said) as Record<string, string>;
  expect(answer).toMatch(/Paris/);
  expect(watched).toBe(answer);
});

const environment = (): readonly string[] => [
  `GLEANER_URL=${farm.backend.siteUrl}`,
  `GLEANER_API_KEY=${farm.organization.apiKey}`,
  `GLEANER_MODEL=${farm.modelId}`,
];

const executablePath = installedChromium();
const lacking = executablePath === null ? " (skipped: no Chromium; apt install chromium-headless-shell)" : "";

it.skipIf(executablePath === null)(`a page in a browser asks and watches${lacking}`, async () => {
  const outfile = join(project, "client.js");
  const entryPoints = [join(project, "node_modules/@gleaner/client/dist/index.js")];
  const bundled = { bundle: true, platform: "browser", format: "iife", globalName: "gleanerClient" } as const;
  await build({ ...bundled, entryPoints, outfile, logLevel: "error" });
  const browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
  onTestFinished(async () => await browser.close());
  const page = await browser.newPage();
  await page.goto(pageOrigin);
  await page.addScriptTag({ path: outfile });
  const seen = await page.evaluate(
    async ([url, apiKey, model]) => {
      const { Gleaner } = (globalThis as unknown as { gleanerClient: typeof client }).gleanerClient;
      const gleaner = new Gleaner({ url, apiKey });
      const messages = [{ role: "user" as const, content: "What is the capital of Spain?" }];
      const { id } = await gleaner.submit("chat/completions", { model, messages, temperature: 0 });
      let last = { status: "", text: "" };
      for await (const { status, text } of gleaner.watch(id)) last = { status, text };
      return last;
    },
    [farm.backend.siteUrl, farm.organization.apiKey, farm.modelId] as const,
  );
  expect(seen).toMatchObject({ status: "succeeded", text: expect.stringMatching(/Madrid/) });
});
