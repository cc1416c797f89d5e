import { defineConfig } from "vitest/config";

/** Runs apps of published packages on the embedded backend; package.json here lists the packages. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: ["./generate-code.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 50 } },
  },
});
