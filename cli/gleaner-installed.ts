import { runCommand } from "./command/run-command.ts";
import { donors } from "./donor/verbs.ts";
import { administrators } from "./operator/verbs.ts";
import { requesters } from "./requester/verbs.ts";

/** The command of an installed desktop program. The operator of a backend uses the checkout's `gleaner`. */
runCommand([requesters, donors, administrators]);
