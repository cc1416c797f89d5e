import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("an administrator changes how long jobs are kept, and archives now", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Archives");
  await expect(page.getByText("No archives yet")).toBeVisible();
  const kept = page.getByRole("table", { name: "Kept in the database" });
  const jobs = kept.getByRole("row", { name: /Jobs/ });
  await expect(jobs).toContainText("400");
  await jobs.getByRole("button", { name: "Change Jobs" }).click();
  const save = page.getByRole("button", { name: "Save" });
  await page.getByLabel("Days in the database").fill("99");
  await expect(page.getByText("Type a whole number from 100 to 3660.")).toBeVisible();
  await page.getByLabel("Days in the database").fill("200");
  await expect(save).toBeDisabled();
  await page.getByLabel("Reason").fill("Our data protection officer asks for it");
  await save.click();
  await expect(jobs).toContainText("200");
  await page.getByRole("button", { name: "Archive now" }).click();
  await expect(page.getByText("Old rows move now.")).toBeVisible();
  await openPage(page, "Audit trail");
  const trail = page.getByRole("table", { name: "Audit trail" });
  const row = trail.getByRole("row", { name: /Time for which rows are kept changed/ });
  await expect(row).toContainText(/days of Jobs: 400.+200\. Our data protection officer asks for it/);
});

test("the deployment's own clean-up of files runs with archives", async ({ farm }) => {
  const run = async (path: string) =>
    await fetch(`${farm.backend.url}/api/mutation`, {
      method: "POST",
      headers: { Authorization: `Convex ${farm.backend.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ path, args: {}, format: "json" }),
    }).then(async (answer) => (await answer.json()) as object);
  for (const path of ["files:sweep", "archives/steps:runAll", "archives/steps:deleteOld"])
    expect(await run(path)).toMatchObject({ status: "success" });
});
