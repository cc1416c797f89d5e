import { join } from "node:path";
import type { StartLine } from "@gleaner/embedded/start-line";
import type { DataFolder } from "../core/data-folder.ts";
import { LaunchError, notStarted, portTaken } from "../core/launch-error.ts";

/** Explains why a backend did not start, from its report and the end of its output, and says what to do. */
export function backendFailure(
  report: StartLine | null,
  output: string,
  folder: Pick<DataFolder, "path" | "logFolder">,
): LaunchError {
  const failure = report?.ready === false ? report : null;
  if (failure?.takenPort !== undefined) return portTaken(failure.takenPort);
  if (failure?.misfit !== undefined) {
    const { table, field } = failure.misfit;
    const part = field === null ? "" : `the field "${field}" of `;
    return new LaunchError(
      `The data in ${folder.path} is from another version of Gleaner: ${part}the table "${table}" does not fit.`,
      "Nothing was changed. Start the version that wrote the data, or start with an empty folder: " +
        "GLEANER_DATA=another-folder npm start",
    );
  }
  return notStarted("backend", output, `Its log: ${join(folder.logFolder, "backend.log")}`);
}
