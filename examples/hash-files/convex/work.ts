import { workerFunctions } from "../../../convex/queue/client/workerFunctions.ts";
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
