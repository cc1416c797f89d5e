import { forkRunner } from "./fork-runner.ts";

const env = JSON.parse(process.argv[3] ?? "{}") as Record<string, string>;
/** A donor that starts a runner, prints its process id, and then waits to be killed. */
const child = forkRunner(process.argv[2] ?? "")(env);
child.onMessage((message) => process.stdout.write(`${JSON.stringify({ pid: child.pid, message })}\n`));
