import { errorName, type Log } from "../../log.ts";
import { donorControlHandlers, type DonorControls } from "../answers.ts";
import { type ControlServer, serveControl } from "./server.ts";

/** Opens the donor to its user's terminals. Where that cannot be, it is said in the log, and the donor goes on. */
export async function openControl(donor: DonorControls, log: Log): Promise<ControlServer> {
  try {
    return await serveControl(donor.folder, donorControlHandlers(donor), log);
  } catch (error) {
    log("warn", "control.not-open", { error: errorName(error) });
    return { close: () => Promise.resolve() };
  }
}
