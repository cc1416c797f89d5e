import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import type { Farm } from "../../../launch/farm/farm.ts";
import { chatLane, chatLaneRow, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test, tokensLasting } from "../support/farm-test.ts";

const question = "What is the capital of Greece?";

const jobs = (page: Page) => page.getByRole("table", { name: "Jobs" });

/** Pauses or resumes the lane of the chat jobs. */
async function setLane(page: Page, verb: "Pause" | "Resume"): Promise<void> {
  await openPage(page, "Queue");
  await page.getByRole("button", { name: `${verb} ${chatLane}` }).click();
  if (verb === "Pause") await page.getByRole("dialog").getByRole("button", { name: "Pause lane" }).click();
  const lane = chatLaneRow(page);
  await expect(lane).toContainText(verb === "Pause" ? "Paused" : "Open");
}

/**
 * Asks for an answer while no device is there, which only calls may that need not wait. Gives the error in words when the job is
 * canceled.
 */
async function ask(farm: Farm): Promise<string> {
  const prefer = "respond-async, wait=540";
  return await askFor(farm, question, farm.organization.apiKey, 128, { prefer }).catch(String);
}

/** Cancels all listed jobs that are not final. */
async function cancelAll(page: Page): Promise<void> {
  const boxes = page.getByRole("checkbox", { name: /Select job/ });
  await expect(boxes.first()).toBeVisible();
  for (let at = 0; at < (await boxes.count()); at += 1) await boxes.nth(at).check();
  await page.getByRole("button", { name: "Cancel…" }).click();
  await expect(page.getByRole("dialog")).toContainText("Until then you can undo this.");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Cancel \d+ jobs?$/ })
    .click();
  await expect(page.getByText(/canceled in 8 seconds/).last()).toBeVisible();
}

test("a job is found by its whole id, says that no device is donating, and its cancel can be undone", async ({
  farm,
  page,
}) => {
  const answer = ask(farm);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  const link = jobs(page).getByRole("link", { name: "gleaner-demo" }).first();
  await expect(jobs(page)).toContainText("No device is donating");
  const jobId = (await link.getAttribute("title")) ?? "";
  await page.getByRole("searchbox").fill(jobId.slice(0, 8));
  await page.keyboard.press("Enter");
  await expect(page.getByText("No job has exactly this id")).toBeVisible();
  await page.getByRole("searchbox").fill(`chatcmpl-${jobId}`);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "gleaner-demo · chat" })).toBeVisible();
  expect(page.url()).toContain(`#/jobs/${jobId}`);
  await expect(page.getByText("No device is donating.")).toBeVisible();
  await page.getByRole("button", { name: "Cancel job…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel job" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Nothing was canceled.")).toBeVisible();
  await page.getByRole("button", { name: "Cancel job…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel job" }).click();
  await expect(page.getByText("The job is canceled in 8 seconds.")).toBeVisible();
  // The server cancels it, although the page is closed.
  await page.goto("about:blank");
  expect(await answer).toMatch(/cancel/i);
  await page.goBack();
  await expect(page.getByRole("button", { name: "Cancel job…" })).toHaveCount(0);
  await openPage(page, "Jobs");
  await expect(jobs(page)).toContainText("Canceled");
});

test("filters are in the address, and a reload keeps them", async ({ farm, page }) => {
  const answer = ask(farm);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("gleaner-demo");
  await expect(page.getByRole("checkbox", { name: /Select job/ })).toHaveCount(1);
  expect(page.url()).toMatch(/#\/jobs\?status=ready&model=gleaner-demo/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Ready", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(page.getByRole("checkbox", { name: /Select job/ })).toHaveCount(1);
  await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00");
  await expect(page.getByText("No jobs match these filters")).toBeVisible();
  await page.getByLabel("To", { exact: true }).fill("");
  await cancelAll(page);
  expect(await answer).toMatch(/cancel/i);
});

test("a paused lane is on the overview, its job says who paused it, and the numbers agree", async ({
  farm,
  page,
}) => {
  const answer = ask(farm);
  await signIn(page, farm);
  await setLane(page, "Pause");
  await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
  await expect(page.locator("dl > div").filter({ hasText: "for a device" })).toContainText("1");
  await openPage(page, "Overview");
  await expect(page.locator("dl > div").filter({ hasText: "Jobs queued" })).toContainText("1");
  await expect(jobs(page)).toContainText(/Its lane is paused by Owner since/);
  await expect(page.getByText(/gleaner-demo · chat is paused by Owner/)).toBeVisible();
  await openPage(page, "Jobs");
  await expect(jobs(page)).toContainText(/Its lane is paused by Owner since/);
  await setLane(page, "Resume");
  await openPage(page, "Audit trail");
  const trail = page.getByRole("table", { name: "Audit trail" });
  const paused = trail.getByRole("row", { name: /Lane paused/ }).first();
  await expect(paused).toContainText(chatLane);
  await openPage(page, "Jobs");
  await cancelAll(page);
  expect(await answer).toMatch(/cancel/i);
});

test("the priority of several jobs changes after a preview, and is undone", async ({ farm, page }) => {
  const answers = [ask(farm), ask(farm)];
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  const boxes = page.getByRole("checkbox", { name: /Select job/ });
  await expect(boxes).toHaveCount(2);
  const bar = page.getByRole("toolbar", { name: "Selected jobs" });
  await expect(bar).toContainText("Select jobs to cancel");
  await boxes.first().check();
  await bar.getByRole("button", { name: "Clear selection" }).press("Enter");
  // The button is gone, and Tab goes on from where it was.
  await expect(bar).toBeFocused();
  await page.getByRole("button", { name: "Select all shown" }).press("Enter");
  await expect(bar).toBeFocused();
  for (const at of [0, 1]) await expect(boxes.nth(at)).toBeChecked();
  await page.getByRole("button", { name: "High priority…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Set 2 jobs to high priority" }).click();
  await expect(bar).toBeFocused();
  await expect(jobs(page).getByText("chat, high priority")).toHaveCount(2);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(jobs(page).getByText("chat, high priority")).toHaveCount(0);
  await cancelAll(page);
  for (const answer of answers) expect(await answer).toMatch(/cancel/i);
});

test("a request is shown only after the organization allows it, and the look is in the audit trail", async ({
  farm,
  page,
}) => {
  const answer = ask(farm);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await jobs(page).getByRole("link", { name: "gleaner-demo" }).click();
  await expect(page.getByText("Only the job's requester may look at them.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Show" })).toHaveCount(0);
  await page.getByRole("button", { name: "Change…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByText(question)).toBeVisible();
  await openPage(page, "Audit trail");
  await expect(
    page.getByRole("row", { name: /Request and answer of a job looked at/ }).first(),
  ).toBeVisible();
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await cancelAll(page);
  expect(await answer).toMatch(/cancel/i);
});

test("the page of a job shows its attempts, its tokens and how its price came about", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("jobs-1");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  const row = jobs(page).getByRole("row", { name: /jobs-1/ });
  await expect(row).toContainText("Done");
  const link = row.getByRole("link", { name: "gleaner-demo" });
  await link.click();
  await expect(page.getByText("Attempt 1")).toBeVisible();
  await expect(page.getByRole("link", { name: "jobs-1" })).toHaveAttribute("href", /#\/devices\//);
  await expect(page.getByText(/tokens in × \d+ \+/)).toBeVisible();
  await expect(page.getByText(/Wh, (measured by the device|estimated from)/)).toBeVisible();
  // A receipt is only for those who may look at the answer. An earlier test may have allowed that.
  await expect(page.getByRole("button", { name: /^(Show|Change…)$/ }).first()).toBeVisible();
  if ((await page.getByRole("button", { name: "Show" }).count()) === 0) {
    await expect(page.getByRole("button", { name: "Download" })).toHaveCount(0);
    await page.getByRole("button", { name: "Change…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
  }
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  const receipt: unknown = JSON.parse(await readFile(await download.path(), "utf8"));
  expect(receipt).toMatchObject({ object: "receipt", settled: { model: "gleaner-demo" } });
  await page.getByRole("link", { name: "First requester" }).click();
  await expect(
    page.getByRole("table", { name: "API keys" }).getByRole("row", { name: /sk-gleaner/ }),
  ).toHaveCount(1);
  await page.getByRole("link", { name: "← All keys" }).click();
  await expect(page).toHaveURL(/#\/keys$/);
  await page.goBack();
  await page.goBack();
  await expect(page.getByText("Attempt 1")).toBeVisible();
  await page.goBack();
  await expect(jobs(page)).toBeVisible();
  await donor.stop();
});

test("the page of a job shows how it went from one device to another, and why", async ({
  slowFarm,
  page,
}) => {
  await signIn(page, slowFarm);
  await openPage(page, "Jobs");
  const first = await slowFarm.startDonor("jobs-8");
  const tokens = await tokensLasting(slowFarm, 6);
  const ofFirst = jobs(page).getByRole("row", { name: /jobs-8/ });
  await expect(ofFirst).toContainText("Done");
  const answer = askFor(slowFarm, "Count.", slowFarm.organization.apiKey, tokens);
  await expect(ofFirst.filter({ hasText: "Running" })).toBeVisible();
  await first.stop();
  const second = await slowFarm.startDonor("jobs-9");
  expect(await answer).not.toBe("");
  await jobs(page)
    .getByRole("row", { name: /jobs-9/ })
    .getByRole("link", { name: "slow-random" })
    .click();
  await expect(page.getByRole("listitem").filter({ hasText: "Handed over" })).toHaveText(
    /jobs-8 → jobs-9\. Given back/,
  );
  await second.stop();
});

test("a job that no retry can mend says why, and offers no retry", async ({ farm, page }) => {
  const donor = await farm.startDonor("jobs-6");
  await expect(askFor(farm, "far too long ".repeat(1_000))).rejects.toThrow(/400.*tokens/);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Failed or expired" }).click();
  const letter = jobs(page).getByRole("row", { name: /jobs-6/ });
  await expect(letter).toContainText("longer than the model's context, so each retry fails");
  await expect(letter.getByRole("button", { name: /^Retry/ })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Retry all…" })).toBeDisabled();
  await letter.getByRole("button", { name: /^Discard/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Nothing was discarded.")).toBeVisible();
  await letter.getByRole("button", { name: /^Discard/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await expect(page.getByText("The job is discarded in 8 seconds.")).toBeVisible();
  // The server discards it after these seconds.
  await expect(page.getByText("No failed or expired jobs")).toBeVisible({ timeout: 30_000 });
  await openPage(page, "Audit trail");
  await expect(page.getByRole("row", { name: /Failed or expired job discarded/ }).first()).toBeVisible();
  await donor.stop();
});
