import WebSocket from "ws";
import { panelProtocol } from "../../../app/contract/donor-calls.ts";
import { converse } from "../converse.ts";
import { checkReply, hostileFrames, startAttackedDonor } from "../donor.ts";
import type { Target } from "../target.ts";
import { within } from "../within.ts";

/** The panel's calls: the same handlers and parsers answer Electron's IPC and the panel's WebSocket. */
export const panelCalls: Target = {
  name: "panel-calls",
  summary: "the panel's calls (IPC), over its WebSocket",
  open: async (farm) => {
    const { child, checkAlive } = await startAttackedDonor(await farm(), "fuzz-panel");
    const { origin, host, hash } = new URL(String(child.ready["panelUrl"]));
    const token = hash.replace("#token=", "");
    return {
      inputs: hostileFrames,
      known: [["x".repeat(20_000)], ["null"], ["[]"]],
      check: async (input) => {
        const socket = new WebSocket(`ws://${host}/bridge`, [panelProtocol, token], { headers: { origin } });
        const replies = await within("a panel's socket", converse(socket, input as readonly string[], 50));
        for (const reply of replies) checkReply(reply);
        await checkAlive();
      },
      close: () => child.stop(),
    };
  },
};
