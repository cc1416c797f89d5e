import { findChromium, findDesktop, findPublishedPackages, type Tool } from "./tools.ts";

export type Step = {
  readonly name: string;
  readonly command: readonly string[];
  /** The source of the number of tests: a report, or one for the whole command. */
  readonly report: "vitest" | "playwright" | "exit-code";
  readonly needs?: () => Tool | Promise<Tool>;
};

const vitest = (config: string | null): string[] => [
  "vitest",
  "run",
  ...(config === null ? [] : ["--config", config]),
  "--reporter=default",
  "--reporter=json",
];

const playwright = (project: string): string[] => [
  "playwright",
  "test",
  "--config",
  "test/e2e/playwright.config.ts",
  "--project",
  project,
];

/** Checks of the source. Each uses one core, so two run at a time. */
export const checks: readonly Step[] = [
  { name: "lint", command: ["npm", "run", "-s", "lint"], report: "exit-code" },
  { name: "format", command: ["prettier", "--check", "--log-level", "warn", "."], report: "exit-code" },
  { name: "types", command: ["npm", "run", "-s", "types"], report: "exit-code" },
  { name: "unused", command: ["knip"], report: "exit-code" },
];

/** The other steps of `npm test`, in order: the fast ones first. */
export const suites: readonly Step[] = [
  { name: "unit", command: vitest(null), report: "vitest" },
  { name: "conformance", command: vitest("test/conformance/vitest.config.ts"), report: "vitest" },
  { name: "differential", command: vitest("test/differential/vitest.config.ts"), report: "vitest" },
  { name: "build", command: ["npm", "run", "-s", "build"], report: "exit-code" },
  { name: "sbom", command: ["npm", "run", "-s", "sbom"], report: "exit-code" },
  { name: "launch", command: vitest("test/launch/vitest.config.ts"), report: "vitest" },
  { name: "packages", command: vitest("test/packages/vitest.config.ts"), report: "vitest" },
  {
    name: "published",
    command: vitest("test/published/vitest.config.ts"),
    report: "vitest",
    needs: findPublishedPackages,
  },
  { name: "pages", command: playwright("pages"), report: "playwright", needs: findChromium },
  { name: "desktop", command: playwright("desktop"), report: "playwright", needs: findDesktop },
  { name: "chaos", command: ["node", "chaos/run.ts", "--rounds", "3"], report: "exit-code" },
  { name: "malicious", command: ["node", "chaos/malicious.ts"], report: "exit-code" },
  { name: "fuzz", command: ["node", "test/fuzz/run.ts", "--seconds", "60"], report: "exit-code" },
];
