import { workerFunctions } from "@gleaner/queue";
import { queue } from "./queue.ts";

export const {
  hello,
  goodbye,
  heartbeat,
  take,
  candidates,
  handed,
  claim,
  append,
  progress,
  complete,
  fail,
  release,
  start,
  leave,
  held,
} = workerFunctions(queue);
