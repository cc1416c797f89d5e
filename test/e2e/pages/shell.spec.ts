import { pages } from "../../../renderer/console/shell/pages.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("the tab's title names the page and the organization", async ({ farm, page }) => {
  await signIn(page, farm);
  await expect(page).toHaveTitle("Overview · Demo organization · Gleaner");
  await openPage(page, "Enrollment codes");
  await expect(page).toHaveTitle("Enrollment codes · Demo organization · Gleaner");
  await page.goBack();
  await expect(page).toHaveTitle("Overview · Demo organization · Gleaner");
});

test("the first Tab reaches the link that skips the navigation, and keeps the address", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Queue");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Queue", level: 1 })).toBeVisible();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  expect(page.url()).toContain("#/queue");
});

test("the focus moves to the heading of a new page, and to nothing else", async ({ farm, page }) => {
  await signIn(page, farm);
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).not.toBeFocused();
  await openPage(page, "Jobs");
  await expect(page.getByRole("heading", { name: "Jobs", level: 1 })).toBeFocused();
  const failed = page.getByRole("button", { name: "Failed", exact: true });
  await failed.click();
  // Live data and a filter leave the focus with the hand.
  await page.waitForTimeout(1_500);
  await expect(failed).toBeFocused();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Overview", level: 1 })).toBeFocused();
});

test("a narrow window has a menu with all pages, which closes by a choice and by Escape", async ({
  farm,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, farm);
  await expect(page.getByRole("navigation")).toHaveCount(0);
  const button = page.getByRole("button", { name: "Menu" });
  await button.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("dialog", { name: "Menu" });
  await expect(menu.getByRole("link")).toHaveCount(pages.length);
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await expect(button).toBeFocused();
  await button.click();
  await menu.getByRole("link", { name: "API keys" }).click();
  await expect(menu).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "API keys", level: 1 })).toBeFocused();
  await expect(page.getByRole("button", { name: "Sign out" })).toBeHidden();
});

test("no page is wider than a phone", async ({ farm, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, farm);
  for (const id of [
    "overview",
    "devices",
    "policy",
    "models",
    "jobs",
    "queue",
    "keys",
    "codes",
    "audit",
    "archives",
  ]) {
    await page.goto(`${farm.backend.siteUrl}/console/#/${id}`);
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, id).toBeLessThanOrEqual(0);
  }
});

test("a page's code is fetched when its link is pointed at, and not before", async ({ farm, page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script" || request.url().endsWith(".js")) scripts.push(request.url());
  });
  await signIn(page, farm);
  const ofPolicy = (): number => scripts.filter((url) => url.includes("PolicyPage")).length;
  expect(ofPolicy()).toBe(0);
  await page.getByRole("navigation").getByRole("link", { name: "Policy" }).hover();
  await expect.poll(ofPolicy).toBe(1);
});

test("nothing is drawn before the member's rights are known, and a shortcut waits for them", async ({
  farm,
  page,
}) => {
  let isHolding = false;
  const release: (() => void)[] = [];
  await page.routeWebSocket(/\/sync$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (isHolding) release.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  await signIn(page, farm);
  await openPage(page, "Earnings");
  isHolding = true;
  await page.reload();
  await expect(page.getByRole("status", { name: "Loading" })).toBeVisible();
  await expect.poll(() => release.length).toBeGreaterThan(0);
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await expect(page.getByRole("heading")).toHaveCount(0);
  await expect(page.getByText("Earnings")).toHaveCount(0);
  await page.keyboard.press("Control+k");

  isHolding = false;
  for (const send of release) send();
  await expect(page.getByRole("combobox", { name: /Search pages/ })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "Earnings", level: 1 })).toBeVisible();
  await expect(page.getByRole("navigation").getByRole("link")).toHaveCount(pages.length - 1);
});
