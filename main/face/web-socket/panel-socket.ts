import type { RawData, WebSocket } from "ws";
import { z } from "zod";
import type { PanelHandlers, Reply } from "../../../app/contract/donor-calls.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { callPanel } from "../answer-call.ts";
import type { SnapshotStore } from "../snapshot-store.ts";

/** A call's argument is a code or a few numbers. */
export const maxFrameBytes = 16 * 1024;
/** A panel that does not read is let go rather than kept in memory. */
const maxBufferedBytes = 4 * 1024 * 1024;

const fromPanel = z.object({
  type: z.literal("call"),
  id: z.number().int().min(0),
  name: z.string().max(100),
  argument: z.unknown(),
});

type ToPanel =
  | { readonly type: "reply"; readonly id: number; readonly reply: Reply<unknown> }
  | { readonly type: "delta"; readonly delta: Partial<DonorSnapshot> };

/** Carries the IPC contract over one WebSocket, as JSON text. Anything that is no call ends it. */
export function bridge(socket: WebSocket, handlers: PanelHandlers, snapshot: SnapshotStore): void {
  const send = (message: ToPanel): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > maxBufferedBytes) {
      socket.terminate();
      return;
    }
    socket.send(JSON.stringify(message));
  };
  const unsubscribe = snapshot.onDelta((delta) => send({ type: "delta", delta }));
  socket.on("close", unsubscribe);
  socket.on("error", () => socket.terminate());
  socket.on("message", (data, isBinary) => {
    const call = isBinary ? null : parse(data);
    if (call === null) {
      socket.close(1008, "not a call");
      return;
    }
    void callPanel(handlers, call.name, call.argument ?? null).then((reply) =>
      send({ type: "reply", id: call.id, reply }),
    );
  });
}

function parse(data: RawData): z.output<typeof fromPanel> | null {
  try {
    return fromPanel.safeParse(JSON.parse((data as Buffer).toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}
