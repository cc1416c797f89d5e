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
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
  },
});
