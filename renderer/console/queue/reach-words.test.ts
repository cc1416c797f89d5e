import { expect, it } from "vitest";
import { reachWords } from "./reach-words.ts";

const none = { beyond: 0, over: { count: 0, exact: true } };

it.each([
  ["maxQueued", none, "No lane has as many requests in the queue now."],
  [
    "maxQueued",
    { beyond: 1, over: { count: 0, exact: true } },
    "1 lane would be full now. New requests there would be refused until some are done.",
  ],
  [
    "maxQueued",
    { beyond: 2, over: { count: 812, exact: false } },
    "2 lanes would be full now. Requests above the limit: about 812. They stay in the queue, and new ones would be refused until enough are done.",
  ],
  ["maxQueuedPerRequester", none, "No API key has as many requests in the queue now."],
  [
    "maxQueuedPerRequester",
    { beyond: 1, over: { count: 3, exact: true } },
    "1 API key would be at its limit now. Requests above the limit: 3. They stay in the queue, and new ones would be refused until enough are done.",
  ],
  ["maxCallWaitMs", none, "In no lane would a new call wait longer now."],
  [
    "maxWaitMs",
    { ...none, beyond: 3 },
    "In 3 lanes a new request at normal priority would wait longer now. It would be refused.",
  ],
] as const)("says what a new value of %s touches: %j", (name, reach, words) => {
  expect(reachWords(name, reach)).toBe(words);
});
