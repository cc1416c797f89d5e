import { defineConfig } from "@playwright/test";

const chromium = process.env["GLEANER_CHROMIUM"];

export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"], ["json"]],
  use: { screenshot: "only-on-failure" },
  projects: [
    {
      name: "pages",
      testDir: "pages",
      use: {
        viewport: { width: 1280, height: 800 },
        launchOptions: {
          ...(chromium === undefined ? {} : { executablePath: chromium }),
          args: [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
          ],
        },
      },
    },
    { name: "desktop", testDir: "desktop" },
  ],
});
