#!/usr/bin/env node
import { backup } from "./gleaner/backup.ts";
import { conflicts } from "./gleaner/conflicts.ts";
import { donorVerbs } from "./gleaner/donor/verbs.ts";
import { entry } from "./gleaner/entry.ts";
import { restore } from "./gleaner/restore.ts";
import { runCommand } from "./gleaner/run-command.ts";

runCommand([
  ...donorVerbs,
  ["entry", entry],
  ["backup", backup],
  ["restore", restore],
  ["conflicts", conflicts],
]);
