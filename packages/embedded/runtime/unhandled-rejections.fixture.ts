// unhandled-rejections.test.ts runs this file as a separate process, since a test runner listens to rejections itself.
import { openFixture } from "./runtime.fixture.ts";

const { call, engine } = await openFixture();
if (process.argv.includes("--listen"))
  process.on("unhandledRejection", (reason) => console.log("heard", reason));
const names = [
  ...["rejects", "rejectsSoon", "writesAndRejects", "writesAndRejectsWithNull"],
  ...["rejectsInAction", "throwsLater", "handlesLate"],
];
const answerOf = (name: string): Promise<string | undefined> =>
  call(`careless:${name}`).then(
    (value) => JSON.stringify(value),
    (error: unknown) => String(error).split("\n")[1],
  );
const answers: (string | undefined)[] = [];
for (const name of names) {
  const answer = await answerOf(name);
  answers.push(answer);
  console.log(`${name}:`, answer);
}
const atOnce = await Promise.all([...names, ...names].map(answerOf));
console.log("the same at once:", atOnce.join() === [...answers, ...answers].join());
console.log("written:", await call("notes:byRank", { from: 99, to: 100 }));
await new Promise((resolve) => setTimeout(resolve, 20));
console.log("still here");
await engine.close();
if (process.argv.includes("--own-rejection")) void Promise.reject(new Error("a bug of ours"));
