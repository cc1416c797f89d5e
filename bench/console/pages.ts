import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "@playwright/test";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { api } from "../../convex/_generated/api.js";
import type { Farm } from "../../launch/farm/farm.ts";
import { requireChromium } from "../../scripts/browser.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";
import { between, type Functions, usageOf } from "../support/usage.ts";
import type { PageFigures } from "./figures.ts";
import { deviceKey, type LastDevice } from "./seed.ts";

const end = makeFunctionReference<"mutation", Record<string, unknown>>("jobs:onFinal");

/** A page's queries have ended, and those that a change reruns have run. */
const settledMs = 1_500;
const opensAtMost = 3;
const pageWithinMs = 6_000;
const contentWithinMs = 20_000;

/** Starts the browser of this machine. Rejects if it has none. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: requireChromium(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

/**
 * Opens each page as an owner, then changes and pays a device that no page shows: the last one, since lists are ordered by name.
 */
export async function measurePages(
  farm: Farm,
  browser: Browser,
  last: LastDevice,
  say: (line: string) => void,
): Promise<Readonly<Record<string, PageFigures>>> {
  const page = await browser.newPage();
  const console = `${farm.backend.siteUrl}/console/`;
  await page.goto(`${console}#signin=${await farm.setup.makeSignInToken(farm.organization.organizationId)}`);
  await contentOf(page);
  const ids = await page
    .getByRole("navigation")
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => (link.getAttribute("href") ?? "").replace("#/", "")));
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const change = deviceChange(client, last.number);
  // The state that it has from its copy is another one.
  await change();
  const payout = payouts(farm, last);
  const figures: Record<string, PageFigures> = {};
  for (const id of ids) {
    const before = await usageOf(farm.backend.url, farm.adminKey);
    const times: number[] = [];
    for (const _ of repetitions(opensAtMost, pageWithinMs)) {
      await page.goto("about:blank");
      await page.goto(`${console}#/${id}`);
      times.push(await contentOf(page));
    }
    await sleep(settledMs);
    const opened = await usageOf(farm.backend.url, farm.adminKey);
    const changed = await rerunsAfter(farm, change, showing.device[id] ?? []);
    const paid = await rerunsAfter(farm, payout, showing.payout[id] ?? []);
    const queries = ofConsole(between(before, opened).functions).filter(({ runs }) => runs > 0);
    figures[id] = {
      contentMs: Math.round(median(times)),
      documentsReadMax: Math.max(0, ...queries.map(({ documentsReadMax }) => documentsReadMax)),
      rerunsPerDeviceChange: sumOf(changed),
      rerunsPerPayout: sumOf(paid),
      rerun: [...changed, ...paid].map((each) => each.function),
    };
    say(`${id} ${JSON.stringify(figures[id])}`);
  }
  return figures;
}

const sumOf = (functions: Functions): number => functions.reduce((sum, { runs }) => sum + runs, 0);

/**
 * The queries of a page that show the change. The overview lists the devices that changed last with their earnings, and tells what
 * all devices have earned. A payout gives the job's key the rest of its reservation, and the page of keys shows the balance. The
 * payout is an operator's call here, which the audit trail lists.
 */
const showing: Readonly<Record<"device" | "payout", Readonly<Record<string, readonly string[]>>>> = {
  device: { overview: ["console/devices.js:list", "console/devices.js:get"] },
  payout: {
    overview: ["console/overview.js:summary", "console/devices.js:get"],
    keys: ["console/keys.js:list"],
    audit: ["console/audit.js:list"],
  },
};

/** Queries of a page that run again after each of two changes. What runs once a minute runs after one of them at most. */
async function rerunsAfter(
  farm: Farm,
  change: () => Promise<void>,
  shows: readonly string[],
): Promise<Functions> {
  const once = async (): Promise<Functions> => {
    const before = await usageOf(farm.backend.url, farm.adminKey);
    await change();
    await sleep(settledMs);
    const after = await usageOf(farm.backend.url, farm.adminKey);
    return ofConsole(between(before, after).functions).filter(({ runs }) => runs > 0);
  };
  const first = await once();
  const again = new Set((await once()).map((each) => each.function));
  return first.filter((each) => again.has(each.function) && !shows.includes(each.function));
}

/** From the navigation until the page has no placeholder any more, in ms. */
async function contentOf(page: Page): Promise<number> {
  const shown = await page.waitForFunction(
    () => {
      const main = document.querySelector("main");
      const hasHeading = (main?.querySelector("h1")?.textContent ?? "") !== "";
      const isLoading = document.querySelector('[role="status"][aria-label="Loading"]') !== null;
      return hasHeading && (main?.children.length ?? 0) > 1 && !isLoading ? performance.now() : false;
    },
    null,
    { polling: "raf", timeout: contentWithinMs },
  );
  return Number(await shown.jsonValue());
}

/** Reports another activity of the device with each call. */
function deviceChange(client: ConvexHttpClient, n: number): () => Promise<void> {
  let isDonating = true;
  return async () => {
    isDonating = !isDonating;
    const activity = isDonating
      ? ({ kind: "donating", reason: "idle" } as const)
      : ({ kind: "holding", reason: "starting" } as const);
    await client.mutation(api.devices.report, { key: deviceKey(n), activity });
  };
}

/** Pays the device for another old job with each call, as the queue does when a job ends. No job's row changes in the queue. */
function payouts(
  { backend, adminKey, organization }: Farm,
  { id, oldJobs }: LastDevice,
): () => Promise<void> {
  const client = new ConvexHttpClient(backend.url, { logger: false });
  (client as unknown as { setAdminAuth(key: string): void }).setAdminAuth(adminKey);
  const jobs = oldJobs();
  return async () => {
    await client.mutation(end, {
      scope: organization.organizationId,
      jobId: jobs.next().value,
      kind: "chat",
      round: 0,
      outcome: "succeeded",
      worker: id,
      attemptId: null,
      report: {
        usage: { promptTokens: 9, completionTokens: 3 },
        timing: { prefillMs: 5, generateMs: 20 },
      },
      error: null,
    });
  };
}

function ofConsole(functions: Functions): Functions {
  return functions.filter(
    ({ component, kind, caller, function: name }) =>
      component === "" && kind === "Query" && caller === "Client" && name.startsWith("console/"),
  );
}
