import { defineConfig } from "vitest/config";

/** Tests whole programs. They mostly wait, so three files run at a time, although each starts several processes. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: 3,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
