import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium, errors, type Page } from "@playwright/test";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { api } from "../../convex/_generated/api.js";
import type { Farm } from "../../launch/farm/farm.ts";
import { requireChromium } from "../../scripts/browser.ts";
import { repetitions } from "../support/repetitions.ts";
import { median } from "../support/statistics.ts";
import { between, type Functions, usageOf } from "../support/usage.ts";
import type { PageFigures } from "./figures.ts";
import { deviceKey, type Landmarks, type LastDevice } from "./seed.ts";

const end = makeFunctionReference<"mutation", Record<string, unknown>>("jobs:onFinal");

/** A page's queries have ended, and those that a change reruns have run. */
const settledMs = 1_500;
const opensAtMost = 3;
const contentWithinMs = 20_000;

/** Starts the browser of this machine. Rejects if it has none. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: requireChromium(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

/** A place of the console. `shows`: a text of its content. `act`: a person's further step there. */
type Place = {
  readonly name: string;
  readonly path: string;
  readonly shows?: string;
  readonly act?: (page: Page) => Promise<unknown>;
};

/** The pages of one device and one job, choices on a page that read the most, and the navigation's pages. */
function placesOf(ids: readonly string[], { device, job }: Landmarks): readonly Place[] {
  return [
    { name: "device", path: `devices/${device.id}`, shows: device.name },
    { name: "job", path: `jobs/${job.id}`, shows: job.externalId },
    { name: "jobs of a device", path: `jobs?device=${device.id}` },
    { name: "usage by member", path: "usage?by=member&days=90" },
    { name: "earnings by device", path: "earnings?by=device&days=90" },
    {
      name: "statistics by key",
      path: "statistics",
      act: async (page) => {
        await page.getByLabel("Time", { exact: true }).selectOption("week");
        await page.getByRole("tab", { name: "Keys" }).click();
      },
    },
    {
      name: "check of the audit trail",
      path: "audit",
      act: async (page) => {
        await page.getByRole("button", { name: "Check the chain" }).click();
        const report = page.getByText(/The trail is unchanged|The chain is broken/);
        const words = await report.textContent({ timeout: contentWithinMs });
        if (words?.includes("broken") === true) throw new Error(words);
      },
    },
    ...ids.map((id): Place => ({ name: id, path: id })),
  ];
}

/**
 * Opens each place as an owner, then changes and pays a device that none of them shows: the last one, since lists are ordered by
 * name. Places for which no time is left are left out.
 */
export async function measurePages(
  farm: Farm,
  browser: Browser,
  landmarks: Landmarks,
  withinMs: number,
  say: (line: string) => void,
): Promise<{ readonly pages: Readonly<Record<string, PageFigures>>; readonly leftOut: readonly string[] }> {
  const page = await browser.newPage();
  const places = placesOf(await signIn(farm, page), landmarks);
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const changes = {
    device: deviceChange(client, landmarks.last.number),
    payout: payouts(farm, landmarks.last),
  };
  // The state that it has from its copy is another one.
  await changes.device();
  const opensWithinMs = withinMs / places.length - 2 * settledMs;
  const pages: Record<string, PageFigures> = {};
  for (const at of repetitions(places.length, withinMs)) {
    const place = places[at] as Place;
    const figures = await measurePlace(farm, page, place, changes, opensWithinMs);
    pages[place.name] = figures;
    say(`${place.name} ${JSON.stringify(figures)}`);
  }
  return { pages, leftOut: places.map(({ name }) => name).filter((name) => !(name in pages)) };
}

/** Opens the console, and returns the pages of its navigation. */
async function signIn({ backend, setup, organization }: Farm, page: Page): Promise<readonly string[]> {
  const token = await setup.makeSignInToken(organization.organizationId);
  await page.goto(`${backend.siteUrl}/console/#signin=${token}`);
  await contentOf(page);
  return await page
    .getByRole("navigation")
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => (link.getAttribute("href") ?? "").replace("#/", "")));
}

type Changes = Readonly<Record<"device" | "payout", () => Promise<void>>>;

async function measurePlace(
  farm: Farm,
  page: Page,
  { name, path, shows, act }: Place,
  changes: Changes,
  opensWithinMs: number,
): Promise<PageFigures> {
  const before = await usageOf(farm.backend.url, farm.adminKey);
  const times: number[] = [];
  for (const _ of repetitions(opensAtMost, opensWithinMs)) {
    await page.goto("about:blank");
    await page.goto(`${farm.backend.siteUrl}/console/#/${path}`);
    times.push(await contentOf(page, shows));
  }
  await act?.(page).catch(ignoreSlowness);
  await sleep(settledMs);
  const opened = await usageOf(farm.backend.url, farm.adminKey);
  const queries = ofConsole(between(before, opened).functions).filter(({ runs }) => runs > 0);
  const most = queries.toSorted((a, b) => b.documentsReadMax - a.documentsReadMax)[0];
  const { changed, paid } = await rerunsOf(farm, name, changes);
  return {
    contentMs: Math.round(median(times)),
    documentsReadMax: most?.documentsReadMax ?? 0,
    mostBy: most?.function ?? null,
    rerunsPerDeviceChange: sumOf(changed),
    rerunsPerPayout: sumOf(paid),
    rerun: [...changed, ...paid].map((each) => each.function),
  };
}

/** On most pages both changes at once rerun nothing. On the others each is tried apart. */
async function rerunsOf(
  farm: Farm,
  name: string,
  changes: Changes,
): Promise<{ readonly changed: Functions; readonly paid: Functions }> {
  const shown = { device: showing.device[name] ?? [], payout: showing.payout[name] ?? [] };
  const both = async (): Promise<void> => {
    await changes.device();
    await changes.payout();
  };
  const ran = await runsAfter(farm, both, [...shown.device, ...shown.payout]);
  if (ran.length === 0) return { changed: [], paid: [] };
  return {
    changed: await rerunsAfter(farm, changes.device, shown.device),
    paid: await rerunsAfter(farm, changes.payout, shown.payout),
  };
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
    "check of the audit trail": ["console/audit.js:list"],
  },
};

/** Queries of a page that run after a change that they do not show. */
async function runsAfter(
  farm: Farm,
  change: () => Promise<void>,
  shows: readonly string[],
): Promise<Functions> {
  const before = await usageOf(farm.backend.url, farm.adminKey);
  await change();
  await sleep(settledMs);
  const after = await usageOf(farm.backend.url, farm.adminKey);
  return ofConsole(between(before, after).functions).filter(
    (each) => each.runs > 0 && !shows.includes(each.function),
  );
}

/** Queries of a page that run again after each of two changes. What runs once a minute runs after one of them at most. */
async function rerunsAfter(
  farm: Farm,
  change: () => Promise<void>,
  shows: readonly string[],
): Promise<Functions> {
  const first = await runsAfter(farm, change, shows);
  const again = new Set((await runsAfter(farm, change, shows)).map((each) => each.function));
  return first.filter((each) => again.has(each.function));
}

/** From the navigation until the page has that text and no placeholder any more, in ms. A slower page counts as that slow. */
async function contentOf(page: Page, shows = ""): Promise<number> {
  const shown = page.waitForFunction(
    (text) => {
      const main = document.querySelector("main");
      const hasHeading = (main?.querySelector("h1")?.textContent ?? "") !== "";
      const isLoading = document.querySelector('[role="status"][aria-label="Loading"]') !== null;
      const hasContent = (main?.children.length ?? 0) > 1 && (main?.textContent ?? "").includes(text);
      return hasHeading && hasContent && !isLoading ? performance.now() : false;
    },
    shows,
    { polling: "raf", timeout: contentWithinMs },
  );
  const handle = await shown.catch(ignoreSlowness);
  return handle === undefined ? contentWithinMs : Number(await handle.jsonValue());
}

/** A slow machine fails nothing: the figures tell it. */
function ignoreSlowness(error: unknown): undefined {
  if (error instanceof errors.TimeoutError) return undefined;
  throw error;
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
