import { join } from "node:path";
import { findChromium, findDesktop, findPublishedPackages, type Tool } from "./tools.ts";

export type Step = {
  readonly name: string;
  readonly command: readonly string[];
  /** The source of the number of tests: the runner's reporter, or one for the whole command. */
  readonly report: "counts" | "exit-code";
  readonly needs?: () => Tool | Promise<Tool>;
  /** It uses at most one core, and does not mind if another step uses the other one: two of these run at a time. */
  readonly pairs?: true;
};

const reporter = (name: string): string => join(import.meta.dirname, "reporters", `${name}-counts.ts`);

// A busy machine makes some test fail in nearly each of such long runs. So each has a second try, which the summary names.
const vitest = (config: string | null): string[] => [
  "vitest",
  "run",
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
  { name: "lint", command: ["npm", "run", "-s", "lint"], report: "exit-code", pairs: true },
  { name: "types", command: ["npm", "run", "-s", "types"], report: "exit-code", pairs: true },
  {
    name: "format",
    command: ["prettier", "--check", "--log-level", "warn", "."],
    report: "exit-code",
    pairs: true,
  },
  { name: "unused", command: ["knip"], report: "exit-code", pairs: true },
];

const suite = (name: string): Step => ({
  name,
  command: vitest(`test/${name}/vitest.config.ts`),
  report: "counts",
});

/** The steps of `npm test`, in order. */
export const steps: readonly Step[] = [
  { name: "build", command: ["npm", "run", "-s", "build"], report: "exit-code" },
  ...checks,
  { name: "sbom", command: ["npm", "run", "-s", "sbom"], report: "exit-code", pairs: true },
  { ...suite("packages"), pairs: true },
  { ...suite("published"), needs: findPublishedPackages, pairs: true },
  { ...suite("differential"), pairs: true },
  {
    name: "fuzz",
    command: ["node", "test/fuzz/run.ts", "--seconds", "60"],
    report: "exit-code",
    pairs: true,
  },
  { name: "unit", command: vitest(null), report: "counts" },
  suite("conformance"),
  suite("launch"),
  { name: "pages", command: playwright("pages"), report: "counts", needs: findChromium },
  // The last three mostly wait.
  { name: "desktop", command: playwright("desktop"), report: "counts", needs: findDesktop, pairs: true },
  { name: "malicious", command: ["node", "chaos/malicious.ts"], report: "exit-code", pairs: true },
  { name: "chaos", command: ["node", "chaos/run.ts", "--rounds", "3"], report: "exit-code", pairs: true },
];
