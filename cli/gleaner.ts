#!/usr/bin/env node
import { backup } from "./operator/backup.ts";
import { conflicts } from "./operator/conflicts.ts";
import { donorVerbs } from "./donor/verbs.ts";
import { entry } from "./operator/entry.ts";
import { restore } from "./operator/restore.ts";
import { runCommand } from "./command/run-command.ts";

runCommand([
  ...donorVerbs,
  ["entry", entry],
  ["backup", backup],
  ["restore", restore],
  ["conflicts", conflicts],
]);
