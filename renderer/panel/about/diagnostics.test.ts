import { expect, it } from "vitest";
import { computerFixture } from "../../gallery/fixtures/answers.ts";
import { problemSnapshots } from "../../gallery/fixtures/problem-snapshots.ts";
import { snapshots } from "../../gallery/fixtures/snapshots.ts";
import { diagnosticsOf } from "./diagnostics.ts";

const now = Date.UTC(2026, 4, 12, 12, 30);
const all = snapshots(now);

it("names the program, the computer, the state and its reason", () => {
  const text = diagnosticsOf(all.ruled, computerFixture, now);
  for (const line of [
    "Version: 0.1.0, desktop program",
    "System: Linux 6.8.0-45-generic, x64",
    "Memory: 16.6 GB",
    "GPU memory for models: 6.4 GB",
    "Models ran on: cpu, cuda",
    "Backend: https://gleaner.northwind.example:3210",
    "Connection: Connected",
    "Activity: You are using it, for 3m",
    "  Free disk: 190 GB (statfs, now)",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(text).toContain("Reason: in-use. You are using this computer.");
  expect(text).toContain("mistral-small-24b-q4: Downloading, 14.3 GB. 6 GB of 14.3 GB, 11.3 MB per second");
});

it("lists the rules that differ from the default, and who set each", () => {
  const text = diagnosticsOf(all.ruled, computerFixture, now);
  expect(text).toContain("Idle after: 5 minutes (Your choice)");
  expect(text).toContain("Maximum temperature: 75 °C (Set by your organization)");
  expect(text).not.toContain("Resume margin");
  expect(diagnosticsOf(all.standby, computerFixture, now)).toContain(
    "Rules that differ from the default:\n  none",
  );
});

it("says why a computer cannot join, also if the donor does not describe the computer", () => {
  const text = diagnosticsOf(problemSnapshots(now).unreachable, null, now);
  expect(text).toContain("Problem: unreachable. https://office:3210 cannot be reached");
  expect(text).toContain("Device: none");
  expect(text).toContain("Computer: not told");
});

it("counts how jobs ended, and repeats nothing else of them", () => {
  const text = diagnosticsOf(all.working, computerFixture, now);
  expect(text).toContain(
    "Latest jobs: Done 3 ×, Given back 1 ×, Failed 1 ×, Canceled 1 ×, Connection lost 1 ×",
  );
  expect(text).not.toContain("The runner crashed");
});

it("leaves out what it does not know by name", () => {
  const secrets = {
    deviceKey: "gd_secret",
    panelUrl: "http://127.0.0.1:1/#token=secret",
    prompt: "zanzibar",
  };
  const organization = { name: "Northwind Research", apiKey: "sk-gleaner-secret" };
  const text = diagnosticsOf({ ...all.working, ...secrets, organization }, computerFixture, now);
  expect(text).not.toMatch(/secret|zanzibar/);
});
