// Run by rejection-guard.test.ts as a process of its own: what it checks is that the process goes on.
import { openFixture } from "../runtime.fixture.ts";

const { call, engine } = await openFixture();
console.log(await call("careless:rejects"));
console.log(await call("careless:throwsLater"));
await new Promise((resolve) => setTimeout(resolve, 20));
console.log("still here");
await engine.close();
if (process.argv.includes("--own-rejection")) void Promise.reject(new Error("a bug of ours"));
