import { connect } from "node:net";
import { socketAddress } from "../../../main/face/local-socket/address.ts";
import { checkReply, hostileFrames, startAttackedDonor } from "../donor.ts";
import type { Target } from "../target.ts";
import { within } from "../within.ts";

/** The socket on which a terminal calls the donor. */
export const controlSocket: Target = {
  name: "control-socket",
  summary: "the socket on which `gleaner` calls the donor",
  open: async (farm) => {
    const { child, folder, checkAlive } = await startAttackedDonor(await farm(), "fuzz-control");
    const { path } = socketAddress(folder);
    return {
      inputs: hostileFrames,
      known: [["x".repeat(70_000)], ["{", "}"], ["\n\n\n"]],
      check: async (input) => {
        const lines = (input as readonly string[]).join("\n");
        for (const reply of await within("a connection", converse(path, `${lines}\n`))) checkReply(reply);
        await checkAlive();
      },
      close: () => child.stop(),
    };
  },
};

/** Sends the bytes, and resolves to the lines that came back until the donor is silent or ends the connection. */
function converse(path: string, text: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let received = "";
    socket.setTimeout(50, () => socket.destroy());
    socket.on("data", (bytes) => (received += bytes.toString("utf8")));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received.split("\n").slice(0, -1)));
    socket.write(text);
  });
}
