import { chatLane, chatLaneRow, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

const question = "What is the capital of Greece?";

test("an administrator changes the limits of the queue and undoes the change", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Queue");
  const limit = page.locator("dl > div").filter({ hasText: "Queued requests of an API key" });
  const keys = limit.getByRole("definition");
  await expect(keys).toContainText("(default)");
  const before = await keys.innerText();
  await page.getByRole("button", { name: "Change limits" }).click();
  const field = page.getByLabel("Queued requests of an API key");
  await field.fill("0");
  await expect(page.getByText("Must be a whole number from 1 to")).toBeVisible();
  await expect(page.getByRole("button", { name: "Preview" })).toBeDisabled();
  await field.fill("7");
  await page.keyboard.press("Enter");
  const changes = page.getByRole("dialog").getByRole("list", { name: "Changes" });
  await expect(changes).toContainText(`Queued requests of an API key${before} → 7`);
  await expect(changes).toContainText("No API key has as many requests in the queue now.");
  await expect(keys).toHaveText(before);
  // Back to the fields, which keep what was typed.
  await page.keyboard.press("Escape");
  await expect(field).toHaveValue("7");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The limits are saved.")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(keys).toHaveText("7");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByText("The former limits are back.")).toBeVisible();
  await expect(keys).toHaveText(before);
  await page.getByRole("button", { name: "Undo the last change" }).click();
  await expect(keys).toHaveText("7");
  await page.getByRole("button", { name: "Undo the last change" }).click();
  await expect(keys).toHaveText(before);
});

test("an administrator sets the prices of priorities, and puts a queued job first", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("queue-1");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Models");
  await expect(page.getByText("Jobs of all priorities cost the same.")).toBeVisible();
  await page.getByRole("button", { name: "Change prices" }).click();
  await page.getByLabel("High priority").fill("50");
  await expect(page.getByRole("button", { name: "Preview" })).toBeDisabled();
  await page.getByLabel("High priority").fill("200");
  await page.keyboard.press("Enter");
  const review = page.getByRole("dialog");
  await expect(review.getByRole("list", { name: "Changes" })).toHaveText("High priority100% → 200%");
  await expect(review).toContainText("No job waits or runs now.");
  await expect(page.getByText("Jobs of all priorities cost the same.")).toBeVisible();
  await review.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("200% at high")).toBeVisible();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByText("The former prices are back.")).toBeVisible();
  await expect(page.getByText("Jobs of all priorities cost the same.")).toBeVisible();
  await page.getByRole("button", { name: "Change prices" }).click();
  await page.getByLabel("High priority").fill("200");
  await page.keyboard.press("Enter");
  await review.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("200% at high")).toBeVisible();

  await openPage(page, "Queue");
  const lane = chatLaneRow(page);
  await lane.getByRole("button", { name: `Pause ${chatLane}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause lane" }).click();
  await expect(lane).toContainText("Paused");
  const answer = askFor(farm, question);
  await openPage(page, "Jobs");
  await page.getByRole("button", { name: "Ready", exact: true }).click();
  await page.getByRole("table", { name: "Jobs" }).getByRole("link", { name: "gleaner-demo" }).click();
  await page.getByLabel("Priority").selectOption("high");
  await expect(page.getByText("The priority was changed.")).toBeVisible();
  await expect(page.getByLabel("Priority")).toHaveValue("high");

  await openPage(page, "Queue");
  await lane.getByRole("button", { name: `Resume ${chatLane}` }).click();
  expect(await answer).toContain("Athens");
  await openPage(page, "Jobs");
  await expect(page.getByRole("table", { name: "Jobs" })).toContainText("chat, high priority");

  await openPage(page, "Models");
  await page.getByRole("button", { name: "Change prices" }).click();
  await page.getByLabel("High priority").fill("100");
  await page.keyboard.press("Enter");
  await review.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Jobs of all priorities cost the same.")).toBeVisible();
  await donor.stop();
});
