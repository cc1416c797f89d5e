import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { runnerEntry } from "../../runner/runner.fixture.ts";
import { forkRunner } from "./fork-runner.ts";

const secrets = {
  GLEANER_CODE: "enroll-me-4711",
  GITHUB_TOKEN: "token-4711",
  HTTPS_PROXY: "http://user:password-4711@proxy:3128",
  SSH_AUTH_SOCK: "/tmp/agent-4711",
  NODE_OPTIONS: "--title=options-4711",
};

it.runIf(process.platform === "linux")("gives a real runner none of the donor's secrets", async () => {
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  const child = forkRunner(runnerEntry)({ GLEANER_CUDA: "/nowhere" });
  onTestFinished(() => child.kill());
  await new Promise<void>((resolve) => child.onMessage(() => resolve()));
  const environ = readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0");
  expect(environ).toContain("GLEANER_CUDA=/nowhere");
  expect(environ.filter((each) => each.includes("4711"))).toEqual([]);
});
