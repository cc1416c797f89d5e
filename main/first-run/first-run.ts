import { ok, refused, type Reply } from "../../app/contract/donor-calls.ts";
import type { Setup } from "../../app/contract/invitation.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import type { Handlers } from "../face/answer-call.ts";
import type { Log } from "../log.ts";
import { allowsServer, otherServerWords } from "../managed/server-of-start.ts";
import { findServers } from "./find-servers.ts";
import { type InvitedTo, invitedTo, isUnencrypted } from "./invited-to.ts";
import { lookUp } from "./look-up.ts";

/** The organization that a person agreed to join. */
export type Agreed = InvitedTo & { readonly insecureHttp: boolean };

type FirstRunDeps = {
  readonly setup: () => Setup;
  /** The person has agreed. A refusal is shown to them. */
  readonly onAgreed: (to: Agreed) => Promise<Reply> | Reply;
  /** The person changes nothing and goes back to the panel. */
  readonly onStay: () => Reply;
  readonly managed: ManagedSettings;
  readonly log: Log;
};

/**
 * Asks a person which organization this computer joins: at first, or in place of the one that it belongs to. Nothing happens
 * before they have seen its name and agreed.
 */
export function firstRun({ setup, onAgreed, onStay, managed, log }: FirstRunDeps): Handlers<"setup"> {
  let found: Agreed | null = null;
  return {
    getSetup: () => ok(setup()),
    // A management's server is the only one.
    findServers: async () => ok({ servers: managed.server === undefined ? [...(await findServers())] : [] }),
    lookUp: async (given) => {
      found = null;
      const read = invitedTo(given);
      if (read.kind === "refused") return refused(read.message);
      const { url } = read.to;
      if (!allowsServer(managed, url)) return refused(otherServerWords(managed));
      const isManaged = url === managed.server;
      if (isManaged && managed.pin !== undefined && read.to.pin !== null && read.to.pin !== managed.pin) {
        return refused(
          "This link is for another key of the server than your administrator's. Ask for a new one.",
        );
      }
      // A code that a person types comes without the server's pin.
      const to = { ...read.to, pin: isManaged ? (managed.pin ?? read.to.pin) : read.to.pin };
      const insecureHttp = given.insecureHttp || (isManaged && managed.insecureHttp === true);
      if (isUnencrypted(to) && !insecureHttp)
        return ok({ kind: "unencrypted", server: new URL(to.url).host });
      const announced = "server" in given.invitation ? given.invitation.announcedPin : null;
      // Nothing is sent to a server that only the network names, and least of all the code.
      if (announced !== null && !given.isPinConfirmed) {
        return ok({ kind: "unconfirmed", server: new URL(to.url).host, pin: announced });
      }
      const reply = await lookUp(to, log);
      if (reply.kind === "refused") return reply;
      const { member } = setup();
      const { organization, server } = reply.value;
      if (member?.organization === organization && member.server === server) {
        return refused(`This computer already belongs to ${organization}.`);
      }
      found = { ...to, insecureHttp };
      return announced === null ? reply : ok({ ...reply.value, proof: "confirmed-key" });
    },
    join: async () => {
      if (found === null) return refused("Look an invitation up first.");
      const { host } = new URL(found.url);
      const reply = await onAgreed(found);
      if (reply.kind === "ok") log("info", "first-run.agreed", { server: host });
      return reply;
    },
    stay: onStay,
  };
}
