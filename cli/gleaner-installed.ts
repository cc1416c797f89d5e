import { donorVerbs } from "./donor/verbs.ts";
import { runCommand } from "./command/run-command.ts";

/** The command of an installed desktop program. Those who run a backend have a checkout, and its `gleaner`. */
runCommand(donorVerbs);
