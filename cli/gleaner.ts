#!/usr/bin/env node
import { runCommand } from "./command/run-command.ts";
import { donors } from "./donor/verbs.ts";
import { administrators, operators } from "./operator/verbs.ts";
import { requesters } from "./requester/verbs.ts";

runCommand([requesters, donors, administrators, operators]);
