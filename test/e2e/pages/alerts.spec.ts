import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("an administrator adds a webhook, sends a test to it, and sees its error", async ({ farm, page }) => {
  const bodies: string[] = [];
  let status = 200;
  const hook = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status).end();
    });
  });
  hook.listen(0, "127.0.0.1");
  await once(hook, "listening");
  const url = `http://127.0.0.1:${String((hook.address() as AddressInfo).port)}/hook`;
  await signIn(page, farm);
  await openPage(page, "Alerts");
  const add = async (address: string): Promise<void> => {
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByLabel("Address").fill(address);
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  };
  await add("https://192.168.0.1/hook");
  await expect(page.getByText(/in a private network\. The server calls/)).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await add(url);
  await expect(page.getByText("It is shown only once.", { exact: false })).toBeVisible();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: `Send a test to ${url}` }).click();
  const row = page.getByRole("row", { name: /127\.0\.0\.1/ });
  await expect(row.getByText("Delivered")).toBeVisible();
  expect(bodies[0]).toContain("This is a test of Gleaner's alerts.");
  status = 503;
  await page.getByRole("button", { name: `Send a test to ${url}` }).click();
  await expect(row.getByText("It answered with status 503.")).toBeVisible();
  await page.getByRole("button", { name: `Remove ${url}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No webhooks yet")).toBeVisible();
  hook.close();
});
