import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { toFile } from "openai";
import { makeClient } from "../../../launch/farm/ask.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { allRules, findingsOf } from "../support/axe.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";

const batches = (page: Page) => page.getByRole("table", { name: "Batches" });

/** A request, as a line of a batch's file. */
function line(customId: string, model: string): string {
  const body = {
    model,
    messages: [{ role: "user", content: "What is 3 plus 4?" }],
    max_completion_tokens: 8,
  };
  return JSON.stringify({ custom_id: customId, method: "POST", url: "/v1/chat/completions", body });
}

/** Makes a batch as a requester does. */
async function start(
  { backend, organization }: Farm,
  name: string,
  lines: readonly string[],
  apiKey = organization.apiKey,
): Promise<void> {
  const client = makeClient(backend.siteUrl, apiKey);
  const file = await client.files.create({
    purpose: "batch",
    file: await toFile(Buffer.from(lines.join("\n")), name),
  });
  await client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
}

test("a batch says why it waits, its page follows it to its end, and the shown command fetches its answers", async ({
  farm,
  page,
}) => {
  test.slow();
  await signIn(page, farm);
  await openPage(page, "Batches");
  await expect(page.getByText("No batches yet")).toBeVisible();
  await expect(page.getByLabel("the TypeScript example")).toContainText(`${farm.backend.siteUrl}/v1`);
  // No model of the organization has the name in the second line, so that this request fails without a device.
  await start(farm, "letters.jsonl", [line("good", farm.modelId), line("bad", "gpt-unknown")]);
  const row = batches(page).getByRole("row", { name: /letters\.jsonl/ });
  await expect(row).toContainText("No device is donating");
  await expect(row).toContainText("1 of 2");
  await openPage(page, "Overview");
  await expect(page.getByRole("region", { name: "Batches under way" })).toContainText("letters.jsonl");
  await openPage(page, "Batches");
  await row.getByRole("link", { name: "letters.jsonl" }).click();
  await expect(page.getByRole("heading", { name: "letters.jsonl" })).toBeVisible();
  await expect(page.getByText("No device is donating.")).toBeVisible();
  const progress = page.getByRole("progressbar", { name: "Progress" });
  await expect(progress).toHaveAttribute("aria-valuenow", "50");

  const donor = await farm.startDonor("batches-1");
  await expect(page.getByText("2 of 2 requests have ended")).toBeVisible({ timeout: 180_000 });
  await expect(progress).toHaveAttribute("aria-valuenow", "100");
  await expect(page.getByText("Completed", { exact: true })).toBeVisible();
  await expect(page.getByText("No device is donating.")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Cancel batch…" })).toHaveCount(0);
  await page.getByRole("tab", { name: "curl" }).click();
  expect(await fetched(farm, await page.getByLabel("the curl example").innerText())).toEqual({
    answers: ["good"],
    errors: ["bad"],
  });

  await page.getByRole("link", { name: "Show its jobs" }).click();
  const jobs = page.getByRole("table", { name: "Jobs" });
  await expect(jobs.getByRole("row")).toHaveCount(2);
  await jobs.getByRole("link", { name: farm.modelId }).click();
  await page.getByRole("link", { name: "good, line 1" }).click();
  await expect(page.getByRole("heading", { name: "letters.jsonl" })).toBeVisible();
  const batchId = await page.getByText(/^batch_\w+$/).innerText();
  await openPage(page, "Overview");
  await page.keyboard.press("Control+k");
  await page.keyboard.type(batchId);
  await expect(page.getByRole("option", { name: batchId })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "letters.jsonl" })).toBeVisible();
  await donor.stop();
});

/** Runs the command in a folder of its own. Returns the names of the requests in each file that it stores. */
async function fetched(farm: Farm, command: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = await mkdtemp(joinPath(tmpdir(), "gleaner-batch-"));
  try {
    const env = { ...process.env, GLEANER_KEY: farm.organization.apiKey };
    await promisify(execFile)("sh", ["-c", command], { cwd: folder, env });
    const namesIn = async (name: string): Promise<readonly string[]> =>
      (await readFile(joinPath(folder, name), "utf8"))
        .trimEnd()
        .split("\n")
        .map((text) => (JSON.parse(text) as { custom_id: string }).custom_id);
    return { answers: await namesIn("answers.jsonl"), errors: await namesIn("errors.jsonl") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a batch is canceled with the keyboard, after its page says what that changes", async ({
  farm,
  page,
}) => {
  await start(farm, "trial.jsonl", [
    line("one", farm.modelId),
    line("two", farm.modelId),
    line("three", "gpt-unknown"),
  ]);
  await signIn(page, farm);
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await expect(batches(page).getByRole("row", { name: /trial\.jsonl/ })).toContainText("1 of 3");
  await batches(page).getByRole("link", { name: "trial.jsonl" }).focus();
  await page.keyboard.press("Enter");
  const cancel = page.getByRole("button", { name: "Cancel batch…" });
  await cancel.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Cancel this batch?" });
  await expect(dialog).toContainText("2 requests that are not answered yet end as canceled.");
  await expect(dialog).toContainText("This cannot be undone.");
  await expect(dialog.getByRole("button", { name: "Keep batch" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(dialog.getByRole("button", { name: "Cancel batch" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("It was canceled.")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("3 of 3 requests have ended")).toBeVisible();
  await openPage(page, "Audit trail");
  const entry = page.getByRole("table", { name: "Audit trail" }).getByRole("row", { name: /Batch canceled/ });
  await expect(entry).toContainText("trial.jsonl · First requester");
});

test("a batch whose file has mistakes names their lines, and filters are in the address", async ({
  farm,
  page,
}) => {
  await start(farm, "faulty.jsonl", [line("a", farm.modelId), "no json", line("a", farm.modelId)]);
  await signIn(page, farm);
  await openPage(page, "Batches");
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await expect(batches(page).getByRole("row")).toHaveCount(2);
  expect(page.url()).toContain("#/batches?status=failed");
  await page.reload();
  await expect(batches(page).getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Expired", exact: true }).click();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("link", { name: "faulty.jsonl" }).click();
  const mistakes = page.getByRole("table", { name: "Why it did not start" });
  await expect(mistakes.getByRole("row", { name: /^Line 2 / })).toContainText("not a JSON object");
  await expect(mistakes.getByRole("row", { name: /^Line 3 / })).toContainText("duplicate_custom_id");
  await expect(page.getByRole("button", { name: "Cancel batch…" })).toHaveCount(0);
});

test("a requester sees and cancels only the batches of their own keys", async ({ farm, page, browser }) => {
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Ada", ["Requester"]), "Ada");
  await openPage(theirs, "My keys");
  await theirs.getByRole("button", { name: "New key" }).click();
  await theirs.getByLabel("Name").fill("Ada's key");
  await theirs.getByRole("button", { name: "Create key" }).click();
  const shown = theirs.getByRole("dialog");
  await expect(shown).toContainText("sk-gleaner-");
  const apiKey = /sk-gleaner-[\w-]{20,}/.exec(await shown.innerText())?.[0] ?? "";
  await theirs.getByRole("button", { name: "Done" }).click();
  await start(farm, "others.jsonl", [line("one", farm.modelId)]);
  await start(farm, "own.jsonl", [line("one", farm.modelId)], apiKey);
  await openPage(theirs, "My batches");
  await expect(batches(theirs).getByRole("row")).toHaveCount(2);
  await expect(batches(theirs)).toContainText("own.jsonl");
  await openPage(page, "Batches");
  await page.getByRole("link", { name: "others.jsonl" }).click();
  const address = page.url();
  await theirs.goto(address);
  await expect(theirs.getByText("There is no such batch.")).toBeVisible();
  await openPage(theirs, "My batches");
  await theirs.getByRole("link", { name: "own.jsonl" }).click();
  await theirs.getByRole("button", { name: "Cancel batch…" }).click();
  await theirs.getByRole("dialog").getByRole("button", { name: "Cancel batch" }).click();
  await expect(theirs.getByText("It was canceled.")).toBeVisible({ timeout: 30_000 });
});

test("axe finds nothing on the pages of batches, and a phone shows all of them", async ({ farm, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await start(farm, "axe.jsonl", [line("one", farm.modelId), line("two", "gpt-unknown")]);
  await start(farm, "axe-faulty.jsonl", ["no json"]);
  await signIn(page, farm);
  await openPage(page, "Batches");
  await expect(batches(page).getByRole("row", { name: /axe\.jsonl/ })).toContainText("1 of 2");
  const hrefs = await Promise.all(
    ["axe.jsonl", "axe-faulty.jsonl"].map(
      async (name) => await batches(page).getByRole("link", { name }).getAttribute("href"),
    ),
  );
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const href of ["#/batches", ...hrefs]) {
      await page.goto(`${farm.backend.siteUrl}/console/${href ?? ""}`);
      await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expect
          .configure({ soft: true })
          .poll(() => findingsOf(page, allRules), {
            message: `${href ?? ""} ${colorScheme} ${String(width)}`,
          })
          .toEqual([]);
      }
      const hidden = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(hidden, `${href ?? ""} at ${String(width)}`).toBeLessThanOrEqual(0);
    }
  }
});
