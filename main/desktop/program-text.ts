import { trayMenu } from "../tray/tray-menu.ts";
import { traySentence } from "../tray/tray-state.ts";
import { windowFailed } from "../window/failed-words.ts";
import { startFailed } from "./failed-start.ts";

/**
 * All that the program itself says to its person: in the tray and in its dialogs. Builds make this module and all that it imports
 * once more for each language, so only `load-program-text.ts` may import it.
 */
export const programText = { trayMenu, traySentence, windowFailed, startFailed };
export type ProgramText = typeof programText;
