import { createHash, randomBytes } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { confirmationNumber, deviceRequestHash } from "../../../app/enrollment.ts";
import { enrollmentCodeOf } from "../../../app/format/secrets.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { findingsOf } from "../support/axe.ts";
import { signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";

/** A computer that waits for a confirmation: its code, and the page's address. */
function newRequest(farm: Farm, device: string) {
  const code = enrollmentCodeOf(randomBytes(32));
  const codeHash = createHash("sha256").update(code).digest("hex");
  const address = `${farm.backend.siteUrl}/console/${deviceRequestHash({ codeHash, device })}`;
  return { code, address, number: confirmationNumber(codeHash) };
}

async function memberWith(page: Page, browser: Browser, farm: Farm, role: string): Promise<Page> {
  await signIn(page, farm);
  return await join(browser, await invite(page, role, [role]), role);
}

test("a donor confirms a computer, which joins and belongs to them", async ({ page, browser, farm }) => {
  const donor = await memberWith(page, browser, farm, "Donor");
  const { code, address, number } = newRequest(farm, "confirmed");
  await donor.goto(address);
  await expect(donor.getByText(number)).toBeVisible();
  expect(await findingsOf(donor)).toEqual([]);
  await donor.getByRole("button", { name: "The number is the same" }).click();
  await expect(donor.getByRole("heading", { name: "confirmed is confirmed" })).toBeVisible();
  const reports: string[] = [];
  const computer = await farm.startDonor("confirmed", {
    enrollmentCode: code,
    onMembership: (report) => reports.push(JSON.stringify(report)),
  });
  await expect.poll(() => reports.at(-1)).toContain("Demo organization");
  await donor.getByRole("link", { name: "Open the console" }).click();
  await expect(donor.getByRole("heading", { name: "My devices" })).toBeVisible();
  await expect(donor.getByText("confirmed", { exact: true })).toBeVisible();
  await computer.stop();
  await donor.goto(address);
  await donor.getByRole("button", { name: "The number is the same" }).click();
  await expect(donor.getByText("This computer has joined.")).toBeVisible();
});

test("a canceled page confirms nothing", async ({ page, browser, farm }) => {
  const donor = await memberWith(page, browser, farm, "Donor");
  const { code, address } = newRequest(farm, "canceled");
  await donor.goto(address);
  await donor.getByRole("button", { name: "Cancel" }).click();
  await expect(donor.getByRole("heading", { name: "Nothing was confirmed" })).toBeVisible();
  const reports: string[] = [];
  const computer = await farm.startDonor("canceled", {
    enrollmentCode: code,
    onMembership: (report) => reports.push(JSON.stringify(report)),
  });
  await expect.poll(() => reports.at(-1)).toContain("This enrollment code is not known");
  await computer.stop();
});

test("a requester is told to ask for a role, and can sign in as somebody else", async ({
  page,
  browser,
  farm,
}) => {
  const requester = await memberWith(page, browser, farm, "Requester");
  const { address, number } = newRequest(farm, "refused");
  await requester.goto(address);
  await expect(requester.getByRole("heading", { name: "You cannot add a computer" })).toBeVisible();
  await expect(requester.getByRole("button", { name: "The number is the same" })).toHaveCount(0);
  expect(await findingsOf(requester)).toEqual([]);
  await requester.getByRole("button", { name: "Sign out" }).click();
  await expect(requester.getByText("You are signed out")).toBeVisible();
  // The address stays, so the page comes back with the next session.
  await signIn(page, farm);
  await page.goto(address);
  await expect(page.getByText(number)).toBeVisible();
  await expect(page.getByRole("button", { name: "The number is the same" })).toBeVisible();
});
