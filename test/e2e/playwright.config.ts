import { defineConfig } from "@playwright/test";

const chromium = process.env["GLEANER_CHROMIUM"];

// At its usual lowest priority, a runner would wait for all other programs. Donors inherit this from Playwright's workers.
process.env["GLEANER_TEST_PRIORITY"] = "normal";

export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  // Pages mostly wait for timers and networks, so three files run at a time, each with a farm of its own.
  workers: 3,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: "list",
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
    // All tests share one desktop.
    { name: "desktop", testDir: "desktop", workers: 1 },
  ],
});
