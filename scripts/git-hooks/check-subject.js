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
  if (!isImperative(verb)) {
    faults.push(`Write the subject in the imperative: "Add …" instead of "${verb} …".`);
  }
  if (/^\S+$/.test(subject.trim())) faults.push("Say in the subject what changes: one word is not enough.");
  if (/[.:]$/.test(subject)) faults.push("End the subject without a full stop or a colon.");
  if (/: /.test(subject))
    faults.push("Leave out the colon: say the change in the subject, and the reason in the body.");
  if (second.trim() !== "") faults.push("Leave the second line empty.");
  return faults;
}

/**
 * Whether the subject's first word may be an imperative, as far as its form tells.
 * @param {string} word
 */
function isImperative(word) {
  if (/^[A-Z]{2,}\b/.test(word)) return false;
  // "Re-embed" has the form of "embed".
  const verb = word.slice(word.lastIndexOf("-") + 1).toLowerCase();
  if (imperatives.has(verb)) return true;
  return !/([^s]s|ed|ing)$/.test(verb) && !pasts.has(verb);
}

/** @param {string} words */
const setOf = (words) => new Set(words.trim().split(/\s+/));

/** Imperatives that look like another form of a verb. Words with -ss are not here: no other form ends so. */
const imperatives = setOf(`
  alias bias canvas focus
  bleed breed embed exceed feed heed need proceed seed shed shred speed succeed weed
  bring cling ding fling ping ring sing spring sting string swing wing wring
`);

/** Past forms without -ed that are no imperatives. */
const pasts = setOf(`
  began bought broke brought built came caught chose dealt did drew drove fell felt forgot fought found gave got grew
  had held hid kept knew laid left lost made meant met paid ran said sank saw sent shook shot shown slept sold sought
  spent spoke stole stood stuck swept taught thought threw told took understood was went were woke won wrote
`);

const faults = faultsOf(readFileSync(process.argv[2] ?? "", "utf8"));
if (faults.length > 0) {
  console.error(`This commit message breaks these rules:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
  process.exitCode = 1;
}
