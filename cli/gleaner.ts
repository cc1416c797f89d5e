#!/usr/bin/env node
import { backup } from "./backup.ts";
import { conflicts } from "./conflicts.ts";
import { donorVerbs } from "./donor/verbs.ts";
import { entry } from "./entry.ts";
import { restore } from "./restore.ts";
import { runCommand } from "./run-command.ts";

runCommand([
  ...donorVerbs,
  ["entry", entry],
  ["backup", backup],
  ["restore", restore],
  ["conflicts", conflicts],
]);
