import type { RawData, WebSocket } from "ws";
import { type CallFrame, callFrame, type ReplyFrame } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { parseJson } from "../../../app/json.ts";
import type { AnswerCall } from "../answer-call.ts";
import type { SnapshotStore } from "../snapshot-store.ts";

/** Enough for a call's argument, which is a code or a few numbers. */
export const maxFrameBytes = 16 * 1024;
/** A panel that does not read is disconnected, so that its messages do not fill the memory. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** Carries the panel's calls and the snapshot's changes over one WebSocket, as JSON. Anything but a call ends it. */
export function servePanelSocket(
  socket: WebSocket,
  answer: AnswerCall,
  snapshot: Pick<SnapshotStore, "onDelta">,
): void {
  const send = (message: ReplyFrame | { readonly delta: Partial<DonorSnapshot> }): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > maxBufferedBytes) {
      socket.terminate();
      return;
    }
    socket.send(JSON.stringify(message));
  };
  const gone = new AbortController();
  const unsubscribe = snapshot.onDelta((delta) => send({ delta }));
  socket.on("close", () => {
    unsubscribe();
    gone.abort();
  });
  socket.on("error", () => socket.terminate());
  socket.on("message", (data, isBinary) => {
    const frame = isBinary ? null : parse(data);
    if (frame === null) {
      socket.close(1008, "not a call");
      return;
    }
    const { id, call, argument } = frame;
    void answer(call, argument ?? null, gone.signal).then((reply) => send({ id, reply }));
  });
}

function parse(data: RawData): CallFrame | null {
  return callFrame.safeParse(parseJson((data as Buffer).toString("utf8"))).data ?? null;
}
