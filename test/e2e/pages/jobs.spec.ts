import type { Page } from "@playwright/test";
import { openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

const question = "What is the capital of Greece?";

const jobs = (page: Page) => page.getByRole("table", { name: "Jobs" });

/** Pauses or resumes the only lane. */
async function setLane(page: Page, verb: "Pause" | "Resume"): Promise<void> {
  await openPage(page, "Queue");
  await page.getByRole("button", { name: `${verb} gleaner-demo` }).click();
  if (verb === "Pause") await page.getByRole("dialog").getByRole("button", { name: "Pause lane" }).click();
  const lane = page.getByRole("table", { name: "Lanes" }).getByRole("row", { name: /gleaner-demo/ });
  await expect(lane).toContainText(verb === "Pause" ? "Paused" : "Open");
}

test("a job is found by its id, and its page shows attempts, tokens and the price", async ({
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
  const jobId = (await link.getAttribute("title")) ?? "";
  await page.getByRole("searchbox").fill(jobId.slice(0, 8));
  await page.keyboard.press("Enter");
  await expect(page.getByText("No job has exactly this id")).toBeVisible();
  await page.getByRole("searchbox").fill(`chatcmpl-${jobId}`);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "gleaner-demo · chat" })).toBeVisible();
  expect(page.url()).toContain(`#/jobs/${jobId}`);
  await expect(page.getByText("Attempt 1")).toBeVisible();
  await expect(page.getByRole("link", { name: "jobs-1" })).toHaveAttribute("href", /#\/devices\//);
  await expect(page.getByText(/tokens in × \d+ \+/)).toBeVisible();
  await page.goBack();
  await expect(jobs(page)).toBeVisible();
  await donor.stop();
});

test("filters are in the address, and a reload keeps them", async ({ farm, page }) => {
  const donor = await farm.startDonor("jobs-2");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await page.getByLabel("Device", { exact: true }).focus();
  await page.getByLabel("Device", { exact: true }).selectOption({ label: "jobs-2" });
  await expect(jobs(page).getByRole("row", { name: /jobs-2/ })).toBeVisible();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  expect(page.url()).toMatch(/#\/jobs\?.*device=/);
  await page.reload();
  await expect(page.getByRole("button", { name: "Done", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(jobs(page).getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Canceled", exact: true }).click();
  await expect(page.getByText("No jobs match these filters")).toBeVisible();
  await donor.stop();
});

test("a waiting job says who paused its lane, here and on the overview, and numbers agree", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("jobs-3");
  await askFor(farm, question);
  await signIn(page, farm);
  await setLane(page, "Pause");
  await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
  const answer = askFor(farm, question);
  await expect(page.locator("dl > div").filter({ hasText: "Ready" })).toContainText("1");
  await openPage(page, "Overview");
  await expect(page.locator("dl > div").filter({ hasText: "Jobs queued" })).toContainText("1");
  await expect(page.getByText(/gleaner-demo · chat is paused by/)).toBeVisible();
  await openPage(page, "Jobs");
  await expect(jobs(page)).toContainText(/Its lane is paused by .+ since/);
  await jobs(page).getByRole("link", { name: "gleaner-demo" }).first().click();
  await expect(page.getByText(/Its lane is paused by .+ since .+\./)).toBeVisible();
  await setLane(page, "Resume");
  expect(await answer).toContain("Athens");
  await donor.stop();
});

test("several jobs are canceled at once, after a preview, and their priority change can be undone", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("jobs-4");
  await askFor(farm, question);
  await signIn(page, farm);
  await setLane(page, "Pause");
  const answers = [askFor(farm, question), askFor(farm, question)].map((answer) => answer.catch(String));
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  const boxes = page.getByRole("checkbox", { name: /Select job/ });
  await expect(boxes).toHaveCount(2);
  for (const at of [0, 1]) await boxes.nth(at).check();
  await page.getByRole("button", { name: "High priority…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Set to high: 2 jobs" }).click();
  await expect(jobs(page).getByText("chat, high priority")).toHaveCount(2);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(jobs(page).getByText("chat, high priority")).toHaveCount(0);

  for (const at of [0, 1]) await boxes.nth(at).check();
  await page.getByRole("button", { name: "Cancel…" }).click();
  await expect(page.getByRole("dialog")).toContainText("You cannot undo this.");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel 2 jobs" }).click();
  await expect(page.getByText("2 jobs changed.").last()).toBeVisible();
  for (const answer of answers) expect(await answer).toMatch(/cancel/i);
  await setLane(page, "Resume");
  await donor.stop();
});

test("a request is shown only after the organization allows it, and the look is in the audit trail", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("jobs-5");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await jobs(page).getByRole("link", { name: "gleaner-demo" }).first().click();
  await expect(page.getByText("Only the job's requester may look at them.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Show" })).toHaveCount(0);
  await page.getByRole("button", { name: "Change…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByText(question)).toBeVisible();
  await openPage(page, "Audit trail");
  await expect(page.getByText("Request and answer of a job looked at")).toBeVisible();
  await donor.stop();
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
  await expect(page.getByRole("button", { name: "Retry all" })).toBeDisabled();
  await letter.getByRole("button", { name: /^Discard/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await expect(page.getByText("No failed or expired jobs")).toBeVisible();
  await openPage(page, "Audit trail");
  await expect(page.getByText("Failed or expired job discarded")).toBeVisible();
  await donor.stop();
});
