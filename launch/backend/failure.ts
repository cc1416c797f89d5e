import { join } from "node:path";
import type { DataFolder } from "../core/data-folder.ts";
import { LaunchError, portTaken } from "../core/launch-error.ts";

/** Explains why a backend did not start, from the end of its output, and says what to do. */
export function backendFailure(
  output: string,
  folder: Pick<DataFolder, "path" | "logFolder">,
  ports: { readonly port: number; readonly sitePort: number },
): LaunchError {
  const busy = [ports.port, ports.sitePort].find((port) => output.includes(String(port)));
  if (/EADDRINUSE|already in use|is taken/.test(output)) return portTaken(busy ?? ports.port);
  const mismatch = schemaMismatch(output);
  if (mismatch !== null) {
    return new LaunchError(
      `The data in ${folder.path} is from another version of Gleaner: ${mismatch}.`,
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

/** Names the table and field that do not fit this version. Null for any other failure. Reads Convex's own messages. */
function schemaMismatch(output: string): string | null {
  if (!output.includes("Schema validation failed.")) return null;
  const table = /in table "([^"]+)"/.exec(output)?.[1];
  const field = /^Path: \.(.+)$/m.exec(output)?.[1];
  const missing = /missing the required field `([^`]+)`/.exec(output)?.[1];
  const place = field ?? missing;
  if (table === undefined) return "its documents do not fit this version's tables";
  return `what its table "${table}" holds${place === undefined ? "" : ` in "${place}"`} does not fit this version's`;
}
