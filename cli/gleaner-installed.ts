import { runCommand } from "./command/run-command.ts";
import { donors } from "./donor/verbs.ts";
import { requesters } from "./requester/verbs.ts";

/** The command of an installed desktop program. The operator of a backend uses the checkout's `gleaner`. */
runCommand([requesters, donors]);
