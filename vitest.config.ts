import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{app,main,renderer,convex,packages,cli,launch,scripts,bench,examples,test/{run,queue},sim}/**/*.test.{ts,tsx}",
    ],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    // Tests share their machine with each other: what gives way to everybody would wait for all of them.
    env: { GLEANER_TEST_PRIORITY: "normal" },
    // Components bring their modules for tests as TypeScript that finds files by globs.
    server: { deps: { inline: [/@convex-dev\//] } },
  },
});
