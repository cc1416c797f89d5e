import { defineConfig } from "vitest/config";

/** Tests whole programs. They mostly wait, so three files run at a time, although each starts several processes. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: 3,
    // At its usual lowest priority, a runner would wait for all other tests.
    env: { GLEANER_TEST_PRIORITY: "normal" },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
