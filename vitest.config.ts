import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "{app,main,renderer,convex,packages,cli,launch,scripts,bench,examples,test/{run,queue},sim}/**/*.test.{ts,tsx}",
    ],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    // At the lowest priority a runner would wait for all other tests on this machine.
    env: { GLEANER_TEST_PRIORITY: "normal" },
    // Components find their modules by globs, which only Vite's transform resolves.
    server: { deps: { inline: [/@convex-dev\//] } },
  },
});
