import { done, ok, refused } from "../../app/contract/donor-calls.ts";
import type { Setup } from "../../app/contract/invitation.ts";
import type { Handlers } from "../face/answer-call.ts";
import type { Log } from "../log.ts";
import { type InvitedTo, invitedTo, isUnencrypted } from "./invited-to.ts";
import { lookUp } from "./look-up.ts";

/** The organization that a person agreed to join. */
export type Agreed = InvitedTo & { readonly insecureHttp: boolean };

type FirstRun = {
  readonly handlers: Handlers<"setup">;
  /** Resolves when the person has agreed. */
  readonly agreed: Promise<Agreed>;
};

/** Asks a person which organization this computer joins. It joins none before they have seen its name. */
export function firstRun(setup: () => Setup, log: Log): FirstRun {
  let found: Agreed | null = null;
  let agree: (to: Agreed) => void = () => undefined;
  const agreed = new Promise<Agreed>((resolve) => (agree = resolve));
  return {
    agreed,
    handlers: {
      getSetup: () => ok(setup()),
      lookUp: async (given) => {
        found = null;
        const read = invitedTo(given);
        if (read.kind === "refused") return refused(read.message);
        const { to } = read;
        const { insecureHttp } = given;
        if (isUnencrypted(to) && !insecureHttp)
          return ok({ kind: "unencrypted", server: new URL(to.url).host });
        const reply = await lookUp(to, log);
        if (reply.kind === "ok") found = { ...to, insecureHttp };
        return reply;
      },
      join: () => {
        if (found === null) return refused("Look an invitation up first.");
        log("info", "first-run.agreed", { server: new URL(found.url).host });
        agree(found);
        return done;
      },
    },
  };
}
