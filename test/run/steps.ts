import { join } from "node:path";
import { findChromium, findDesktop, findPublishedPackages, type Tool } from "./tools.ts";

export type Step = {
  readonly name: string;
  readonly command: readonly string[];
  /** The source of the number of tests: the runner's reporter, or one for the whole command. */
  readonly report: "counts" | "exit-code";
  readonly needs?: () => Tool | Promise<Tool>;
  /** The time that it takes alone on a usual machine with two cores. */
  readonly usualSeconds: number;
  /** It uses at most one core, and does not mind if another step uses the other one: two of these run at a time. */
  readonly pairs?: true;
};

const reporter = (name: string): string => join(import.meta.dirname, "reporters", `${name}-counts.ts`);

const caches = join(import.meta.dirname, "../../node_modules/.cache/vitest");

// Two steps run at a time. With one cache for both, one may empty it while the other reads it.
// A busy machine makes some test fail in nearly each of such long runs. So each has a second try, which the summary names.
const vitest = (name: string, config: string | null): string[] => [
  "vitest",
  "run",
  `--fsModuleCachePath=${join(caches, name)}`,
  ...(config === null ? [] : ["--config", config]),
  "--retry=1",
  "--reporter=default",
  `--reporter=${reporter("vitest")}`,
];

const playwright = (project: string): string[] => [
  "playwright",
  "test",
  "--config",
  "test/e2e/playwright.config.ts",
  "--project",
  project,
  "--retries=1",
  `--reporter=list,${reporter("playwright")}`,
];

const checks: readonly Step[] = [
  { name: "lint", command: ["npm", "run", "-s", "lint"], report: "exit-code", usualSeconds: 60, pairs: true },
  {
    name: "types",
    command: ["npm", "run", "-s", "types"],
    report: "exit-code",
    usualSeconds: 60,
    pairs: true,
  },
  {
    name: "format",
    command: ["prettier", "--check", "--log-level", "warn", "."],
    report: "exit-code",
    usualSeconds: 45,
    pairs: true,
  },
  { name: "unused", command: ["knip"], report: "exit-code", usualSeconds: 10, pairs: true },
];

const suite = (name: string, usualSeconds: number): Step => ({
  name,
  usualSeconds,
  command: vitest(name, `test/${name}/vitest.config.ts`),
  report: "counts",
});

/** The steps of `npm test`, in order. */
export const steps: readonly Step[] = [
  { name: "build", command: ["npm", "run", "-s", "build"], report: "exit-code", usualSeconds: 14 },
  ...checks,
  { name: "sbom", command: ["npm", "run", "-s", "sbom"], report: "exit-code", usualSeconds: 3, pairs: true },
  { ...suite("packages", 90), pairs: true },
  { ...suite("published", 80), needs: findPublishedPackages, pairs: true },
  { ...suite("differential", 90), pairs: true },
  {
    name: "fuzz",
    command: ["node", "test/fuzz/run.ts", "--seconds", "60"],
    report: "exit-code",
    usualSeconds: 75,
    pairs: true,
  },
  { name: "unit", command: vitest("unit", null), report: "counts", usualSeconds: 560 },
  suite("conformance", 330),
  suite("launch", 420),
  { name: "pages", command: playwright("pages"), report: "counts", needs: findChromium, usualSeconds: 710 },
  {
    name: "desktop",
    command: playwright("desktop"),
    report: "counts",
    needs: findDesktop,
    usualSeconds: 240,
  },
  // Both mostly wait. Beside a busier step, a liar would get more jobs before it is judged.
  {
    name: "malicious",
    command: ["node", "chaos/malicious.ts", "--few"],
    report: "exit-code",
    usualSeconds: 110,
    pairs: true,
  },
  {
    name: "chaos",
    command: ["node", "chaos/run.ts", "--rounds", "3"],
    report: "exit-code",
    usualSeconds: 65,
    pairs: true,
  },
  // Three donors and another model compute most of the time.
  {
    name: "dishonest",
    command: ["node", "chaos/dishonest.ts", "--short"],
    report: "exit-code",
    usualSeconds: 280,
  },
];
