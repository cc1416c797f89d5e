import type { Verbs } from "../command/run-command.ts";
import { donateNow, finish, pause, resume, snooze, status } from "./activity.ts";
import { bench } from "./bench.ts";
import { donate } from "./donate.ts";
import { explain } from "./explain.ts";
import { facts } from "./facts.ts";
import { leave } from "./leave.ts";
import { managed } from "./managed.ts";
import { models } from "./models.ts";
import { rules } from "./rules.ts";

/** The commands for a donor, in the order of the help text. */
export const donorVerbs: Verbs = [
  ["donate", donate],
  ["status", status],
  ["pause", pause],
  ["snooze", snooze],
  ["donate-now", donateNow],
  ["finish", finish],
  ["resume", resume],
  ["explain", explain],
  ["rules", rules],
  ["facts", facts],
  ["models", models],
  ["bench", bench],
  ["managed", managed],
  ["leave", leave],
];
