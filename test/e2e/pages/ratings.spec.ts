import { openDevices, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

test("an answer is disputed with one click, which can be undone, and an administrator settles it with a refund", async ({
  farm,
  page,
}) => {
  await farm.startDonor("rated-1");
  await askFor(farm, "What is the capital of Norway?");
  await signIn(page, farm);
  await openPage(page, "Jobs");
  const jobs = page.getByRole("table", { name: "Jobs" });
  await jobs.getByRole("link", { name: "gleaner-demo" }).first().click();
  const card = page.getByRole("region", { name: "Rating of the answer" });
  const dispute = card.getByRole("button", { name: "Wrong: dispute it" });
  await dispute.click();
  await expect(card.getByText("Disputed")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card.getByText("Disputed")).toHaveCount(0);
  await expect(dispute).toHaveAttribute("aria-pressed", "false");

  await card.getByRole("button", { name: "Good", exact: true }).click();
  await expect(card.getByText("Rated as good.")).toBeVisible();
  await dispute.click();
  await card.getByRole("button", { name: "Say more…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Comment").fill("It is Oslo.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(card.getByText("“It is Oslo.”")).toBeVisible();
  await openPage(page, "Jobs");
  await expect(jobs.getByText("Disputed")).toHaveCount(1);

  await openPage(page, "Disputes");
  const disputes = page.getByRole("table", { name: "Disputed answers" });
  await expect(disputes).toContainText("It is Oslo.");
  await expect(disputes).toContainText("rated-1");
  await disputes.getByRole("button", { name: "Settle…" }).click();
  await dialog.getByLabel("Reason").fill("Right, it is Oslo.");
  await dialog.getByRole("button", { name: "Settle and refund" }).click();
  await expect(page.getByText("No disputes", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Found wrong" }).click();
  await expect(disputes).toContainText("Right, it is Oslo.");
  await expect(disputes).toContainText("refunded");

  await openDevices(page, "rated");
  await page.getByRole("link", { name: "rated-1" }).click();
  const ratings = page.getByRole("region", { name: "Ratings" });
  await expect(ratings.locator("dl")).toContainText(/Good\s*0\s*Bad\s*1\s*Found wrong\s*1/);
  await expect(page.getByText("Oslo")).toHaveCount(0);
});
