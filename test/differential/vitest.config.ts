import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    // Each program gets a backend of its own, and V8 leaves thousands of them in memory. To collect so many at once takes
    // longer than the second that a function has.
    execArgv: ["--max-old-space-size=600"],
    testTimeout: 180_000,
  },
});
