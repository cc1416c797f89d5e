import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { type Gallery, openStory, startGallery } from "../support/gallery.ts";

let gallery: Gallery;
test.beforeAll(async () => {
  gallery = await startGallery();
});
test.afterAll(() => gallery.close());

/** A farm's server is on this computer only, so its console offers no files. The gallery's is in a network. */
test("a new code is saved for the management of many computers, for each system", async ({ page }) => {
  await openStory(page, gallery, "console-code-made", "light");
  const save = async (system: string): Promise<{ name: string; text: string }> => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save the file for ${system}` }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  };
  const linux = await save("Linux");
  expect(linux.name).toBe("managed.json");
  const settings = JSON.parse(linux.text) as { readonly server: string; readonly code: string };
  expect(settings.code).toBe("GLN-7K2M-9QXD-4WHT");
  const windows = await save("Windows");
  expect(windows.name).toBe("gleaner.reg");
  expect(windows.text).toContain(`"server"="${settings.server}"\r\n`);
  const mac = await save("macOS");
  expect(mac.name).toBe("gleaner.mobileconfig");
  expect(mac.text).toContain(`<string>${settings.code}</string>`);
});
