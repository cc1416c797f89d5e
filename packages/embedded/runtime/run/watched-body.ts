import { isUint8Array } from "node:util/types";
import { formatBytes } from "../checks/format-bytes.ts";
import { limits } from "../checks/limits.ts";
import { isTurnLong, nextTurn } from "../execution/turn-clock.ts";
import { givesChunksAway, readerOf } from "./plain-response.ts";

type Watch = {
  /** Called at once with a function that breaks the body off. It does nothing once the body is over. */
  readonly onStart: (breakOff: (error: unknown) => void) => void;
  /** How long the body may still take, in ms. */
  readonly leftMs: number;
  /** Called once, when that time is over. Returns the error with which the body breaks off. */
  readonly onLate: () => unknown;
  /** Called if the body breaks off, unless its reader has canceled it. */
  readonly onBroken: (error: unknown) => void;
  /** Called with its size when the body has ended or broken off, unless its reader has canceled it. */
  readonly onEnd: (bytes: number) => void;
};

/** The response of an HTTP action has more bytes than Convex sends. */
export class ResponseTooLargeError extends Error {
  override readonly name = "HttpResponseTooLarge";
  // oxlint-disable-next-line no-unused-private-class-members -- the rule overlooks `#isOne in value`
  readonly #isOne = true;

  /** Like `instanceof`, but cannot run code of a value that a function has thrown. */
  static isOne(value: unknown): value is ResponseTooLargeError {
    return typeof value === "object" && value !== null && #isOne in value;
  }

  constructor() {
    super(`HTTP actions support responses up to ${formatBytes(limits.httpResponseBytes)}`);
  }
}

/** The same body, with the limits of an action's response. It reads no part ahead, and gives chunks away if the body does. */
export function watchedBody(
  body: ReadableStream<Uint8Array>,
  { leftMs, onStart, onLate, onBroken, onEnd }: Watch,
): ReadableStream<Uint8Array> {
  // Types of the language know no stream that may be of either kind.
  const kind = givesChunksAway(body) ? { type: "bytes" as const } : {};
  const reader = readerOf(body);
  let size = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  const breakOff = (controller: ReadableStreamDefaultController, error: unknown): void => {
    if (isOver) return;
    end();
    controller.error(error);
    reader.cancel(error).catch(() => undefined);
    onBroken(error);
    onEnd(size);
  };
  return new ReadableStream<Uint8Array>(
    {
      ...(kind as object),
      start(controller) {
        timer = setTimeout(() => breakOff(controller, onLate()), leftMs).unref();
        onStart((error) => breakOff(controller, error));
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // A body that is there already would be sent in one turn.
          if (isTurnLong()) await nextTurn();
          if (isOver) return;
          if (done) {
            end();
            controller.close();
            onEnd(size);
            return;
          }
          // A proxy's trap would be code of the action.
          if (!isUint8Array(value)) throw new TypeError("A body must be a stream of Uint8Arrays");
          size += value.byteLength;
          if (size > limits.httpResponseBytes) throw new ResponseTooLargeError();
          controller.enqueue(value);
        } catch (error) {
          breakOff(controller, error);
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
