import { forkRunner } from "./fork-runner.ts";

/** A donor that has a runner, says its process id, and then does nothing: to be killed. */
const child = forkRunner(process.argv[2] ?? "")();
child.onMessage((message) => process.stdout.write(`${JSON.stringify({ pid: child.pid, message })}\n`));
