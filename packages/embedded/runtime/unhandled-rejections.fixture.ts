// unhandled-rejections.test.ts runs this file as a separate process and checks that the process continues.
import { openFixture } from "./runtime.fixture.ts";

const { call, engine } = await openFixture();
console.log(await call("careless:rejects"));
await call("careless:throwsLater").catch((error: unknown) => console.log(String(error).split("\n")[1]));
await new Promise((resolve) => setTimeout(resolve, 20));
console.log("still here");
await engine.close();
if (process.argv.includes("--own-rejection")) void Promise.reject(new Error("a bug of ours"));
