import { join } from "node:path";
import type { StartLine } from "@gleaner/embedded/start-line";
import type { DataFolder } from "../core/data-folder.ts";
import { LaunchError, portTaken } from "../core/launch-error.ts";

/** Explains why a backend did not start, from its report and the end of its output, and says what to do. */
export function backendFailure(
  report: StartLine | null,
  output: string,
  folder: Pick<DataFolder, "path" | "logFolder">,
): LaunchError {
  const { takenPort, misfit } = report?.ready === false ? report : {};
  if (takenPort !== undefined) return portTaken(takenPort);
  if (misfit !== undefined) {
    const place = misfit.field === null ? "" : ` in "${misfit.field}"`;
    return new LaunchError(
      `The data in ${folder.path} is from another version of Gleaner: what its table "${misfit.table}" holds${place} ` +
        "does not fit this version's.",
      "Nothing was changed. Start the version that wrote the data, or start with an empty folder: " +
        "GLEANER_DATA=another-folder npm start",
    );
  }
  const said = output.trim().split("\n").slice(-6).join("\n         ");
  return new LaunchError(
    `The backend did not start.\n         ${said}`,
    `Its log: ${join(folder.logFolder, "backend.log")}`,
  );
}
