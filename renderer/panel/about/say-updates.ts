import { assertNever } from "../../../app/assert-never.ts";
import type { UpdateProblem, UpdatesOff, UpdatesView } from "../../../app/contract/updates.ts";

/** The state of the updates in a sentence. Pure. */
export function sayUpdates(updates: UpdatesView): string {
  if (updates.kind === "off") return sayOff(updates.why);
  const { next, problem, lookedAt, byItself } = updates;
  if (next?.state === "downloading") return `Version ${next.version} is being downloaded.`;
  if (next !== null) {
    return byItself
      ? `Version ${next.version} is ready. Gleaner installs it when no job runs and nobody uses this computer.`
      : `Version ${next.version} is ready. Gleaner installs it when you restart it.`;
  }
  if (problem !== null) return sayProblem(problem);
  return lookedAt === null ? "Gleaner has not looked for a new version yet." : "This is the newest version.";
}

function sayOff(why: UpdatesOff): string {
  switch (why) {
    case "not-configured":
      return "This program does not update itself, because it was built without a server of new versions.";
    case "no-key":
      return "This program does not update itself, because it was built without the key that signs new versions.";
    case "managed":
      return "New versions are installed in the way this program was: by your administrator or your package manager.";
    case "not-installed":
      return "This program does not update itself, because it was not installed as one file of its own.";
    case "rule":
      return "Updates are switched off in the settings.";
    default:
      return assertNever(why);
  }
}

function sayProblem(problem: UpdateProblem): string {
  switch (problem) {
    case "unreachable":
      return "The server of new versions cannot be reached. Gleaner tries again.";
    case "not-signed":
      return "The server offers a new version that its makers did not sign, so Gleaner does not install it. Tell your administrator.";
    case "not-downloaded":
      return "A new version could not be downloaded. Gleaner tries again.";
    default:
      return assertNever(problem);
  }
}
