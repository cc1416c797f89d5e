import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

/** Runs the hook like git, with the path of a file that contains the message. */
function runHook(message: string): { readonly code: number | null; readonly text: string } {
  const folder = mkdtempSync(join(tmpdir(), "commit-msg-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "COMMIT_EDITMSG");
  writeFileSync(file, message);
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "check-subject.js"), file],
    {
      encoding: "utf8",
    },
  );
  return { code: status, text: stderr };
}

it.each([
  "Re-sample free memory when the runner exits",
  "Add a verb\n\nThe reason, in as many words as it takes: here a colon is fine.",
  "Speed up the first load",
  "Ping idle sockets",
  "Pass the deadline to the runner",
  "Process one message at a time",
  "Address the review",
  "Focus the first field",
  "Re-embed the fonts",
  "String the batteries together",
  "Left-align the figures",
  'Revert "Add a verb, a long subject that git quotes and that may therefore be longer than it"',
  "Merge branch 'x'",
  "Fix a leak\n# Please enter the commit message for your changes.",
])("the commit hook accepts: %s", (message) => {
  expect(runHook(message)).toEqual({ code: 0, text: "" });
});

it.each([
  ["", /empty/],
  ["Say in one subject everything that the change does, and then why it does so as well", /72 are allowed/],
  ["add a verb", /capital/],
  ["Added a verb", /imperative/],
  ["Adding a verb", /imperative/],
  ["Adds a verb", /imperative/],
  ["Fixes the runner", /imperative/],
  ["Does the rest", /imperative/],
  ["Re-sampled the memory", /imperative/],
  ["Made it work", /imperative/],
  ["Wrote the page again", /imperative/],
  ["WIP", /imperative/],
  ["WIP on the runner", /imperative/],
  ["Cleanup", /one word/],
  ["Add a verb.", /full stop/],
  ["Fix the runner: it leaked memory", /colon/],
  ["Add a verb\nThe reason", /second line/],
])("the commit hook refuses: %s", (message, fault) => {
  const { code, text } = runHook(message);
  expect(code).toBe(1);
  expect(text).toMatch(fault);
});
