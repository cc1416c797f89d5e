import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, type Page } from "@playwright/test";
import { ConvexHttpClient } from "convex/browser";
import { api } from "../../convex/_generated/api.js";
import type { Farm } from "../../launch/farm/farm.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";
import { between, type Functions, usageOf } from "../support/usage.ts";
import type { PageFigures } from "./figures.ts";
import { deviceKey } from "./seed.ts";

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** A page's queries have ended, and those that a change reruns have run. */
const settledMs = 1_500;
const opensAtMost = 3;
const pageWithinMs = 6_000;
const contentWithinMs = 20_000;

/** Starts the browser of this machine. Returns null if it has none. */
export async function startBrowser(): Promise<Browser | null> {
  const path = [process.env["GLEANER_CHROMIUM"], ...browsers].find(
    (each) => each !== undefined && existsSync(each),
  );
  if (path === undefined) return null;
  return await chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-gpu"] });
}

/**
 * Opens each page as an owner, and changes a device that no page shows. `last` is its number: lists are ordered by name, and
 * it is the last one.
 */
export async function measurePages(
  farm: Farm,
  browser: Browser,
  last: number,
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
  const change = deviceChange(client, last);
  // The state that it has from its copy is another one.
  await change();
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
    const rerun = await rerunsAfter(farm, change, id);
    const queries = ofConsole(between(before, opened).functions).filter(({ runs }) => runs > 0);
    figures[id] = {
      contentMs: Math.round(median(times)),
      documentsReadMax: Math.max(0, ...queries.map(({ documentsReadMax }) => documentsReadMax)),
      rerunsPerDeviceChange: rerun.reduce((sum, { runs }) => sum + runs, 0),
    };
    say([id, JSON.stringify(figures[id]), ...rerun.map((each) => each.function)].join(" "));
  }
  return figures;
}

/** The overview lists the devices that changed last, so it shows each change. */
const showing: Readonly<Record<string, readonly string[]>> = {
  overview: ["console/devices.js:list", "console/devices.js:get"],
};

/** Queries of a page that run again after each of two changes. What runs once a minute runs after one of them at most. */
async function rerunsAfter(farm: Farm, change: () => Promise<void>, id: string): Promise<Functions> {
  const once = async (): Promise<Functions> => {
    const before = await usageOf(farm.backend.url, farm.adminKey);
    await change();
    await sleep(settledMs);
    const after = await usageOf(farm.backend.url, farm.adminKey);
    return ofConsole(between(before, after).functions).filter(({ runs }) => runs > 0);
  };
  const first = await once();
  const again = new Set((await once()).map((each) => each.function));
  const shows = showing[id] ?? [];
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

function ofConsole(functions: Functions): Functions {
  return functions.filter(
    ({ component, kind, caller, function: name }) =>
      component === "" && kind === "Query" && caller === "Client" && name.startsWith("console/"),
  );
}
