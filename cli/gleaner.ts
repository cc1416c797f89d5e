#!/usr/bin/env node
import { runCommand } from "./command/run-command.ts";
import { donorVerbs } from "./donor/verbs.ts";
import { operatorVerbs } from "./operator/verbs.ts";

runCommand({ ...donorVerbs, ...operatorVerbs });
