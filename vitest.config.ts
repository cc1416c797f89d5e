import { defineConfig } from "vitest/config";
import { programText } from "./vite.program-text.ts";

/** Tests of pure code and of the functions on convex-test. Their files share processes, which saves half of their time. */
const sharing = "{app,renderer,convex}/**/*.test.{ts,tsx}";
const alone = [
  "{main,packages,cli,launch,scripts,bench,examples,test/{run,queue},sim}/**/*.test.{ts,tsx}",
  // They replace modules, or change the environment.
  "convex/testing/{canaries,checkGrammars,checkRuns,openApi,schema}.test.ts",
];

export default defineConfig({
  plugins: [programText()],
  test: {
    environment: "node",
    pool: "forks",
    // Many tests wait. On two cores, two files at a time leave a quarter of them idle.
    maxWorkers: 3,
    // On a busy machine some tests take ten times as long. So no test waits for less, unless that is what it tests.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // At its usual lowest priority, a runner would wait for all other tests. Models come from servers of the tests.
    env: { GLEANER_TEST_PRIORITY: "normal", GLEANER_TEST_LOCAL_SOURCES: "1" },
    // Convex components list their modules with `import.meta.glob`, which only Vite's transform resolves.
    server: { deps: { inline: [/@convex-dev\//] } },
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      {
        extends: true,
        test: {
          name: "sharing",
          include: [sharing],
          exclude: ["**/node_modules/**", ...alone],
          isolate: false,
        },
      },
    ],
  },
});
