import type { Verbs } from "../command/run-command.ts";
import { bench } from "./bench.ts";
import { donate } from "./donate.ts";
import { donateNow } from "./donate-now.ts";
import { explain } from "./explain.ts";
import { facts } from "./facts.ts";
import { finish } from "./finish.ts";
import { models } from "./models.ts";
import { pause, snooze } from "./pause.ts";
import { resume } from "./resume.ts";
import { rules } from "./rules.ts";
import { status } from "./status.ts";

/** What a donor's person can do from a terminal. */
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
];
