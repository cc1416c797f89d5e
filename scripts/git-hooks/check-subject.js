import { readFileSync } from "node:fs";

const longestSubject = 72;
/** Git writes these subjects itself. */
const gitsOwn = /^(Merge |Revert "|fixup! |squash! )/;

/**
 * Checks the form of a commit message: an imperative subject of at most 72 characters, then the reason in the body.
 * @param {string} message the whole message, including git's comment lines.
 * @returns {string[]} the mistakes, in words for the author; empty if there are none.
 */
function faultsOf(message) {
  const [subject = "", second = ""] = message.split("\n").filter((line) => !line.startsWith("#"));
  if (gitsOwn.test(subject)) return [];
  const [verb = ""] = subject.split(" ");
  const faults = [];
  if (subject.trim() === "") faults.push("The subject is empty.");
  if (subject.length > longestSubject) {
    faults.push(
      `The subject has ${subject.length} characters; ${longestSubject} are allowed. Put the reason in the body.`,
    );
  }
  if (subject !== "" && !/^[A-Z]/.test(subject)) faults.push("Begin the subject with a capital letter.");
  if (/^[A-Z][a-z]+(ed|ing)$/.test(verb) && !imperatives.has(verb)) {
    faults.push(`Write the subject in the imperative: "Add …" instead of "${verb} …".`);
  }
  if (/[.:]$/.test(subject)) faults.push("End the subject without a full stop or a colon.");
  if (/: /.test(subject))
    faults.push("Leave out the colon: say the change in the subject, and the reason in the body.");
  if (second.trim() !== "") faults.push("Leave the second line empty.");
  return faults;
}

/** Imperatives that look like another form of a verb. */
const imperatives = new Set([
  "Bring",
  "Embed",
  "Feed",
  "Need",
  "Ping",
  "Seed",
  "Shed",
  "Speed",
  "String",
  "Swing",
]);

const faults = faultsOf(readFileSync(process.argv[2] ?? "", "utf8"));
if (faults.length > 0) {
  console.error(`This commit message breaks these rules:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
  process.exitCode = 1;
}
