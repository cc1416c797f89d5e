import { done, ok, refusedFor, type Reply } from "../../app/contract/donor-calls.ts";
import type { InvitationAnswer, Setup, WaitingSignIn } from "../../app/contract/invitation.ts";
import { confirmedForMs } from "../../app/enrollment.ts";
import type { ManagedSettings } from "../../app/managed/managed-settings.ts";
import type { Handlers } from "../face/answer-call.ts";
import type { Log } from "../log.ts";
import { allowsServer } from "../managed/server-of-start.ts";
import { findServers } from "./find-servers.ts";
import { type InvitedTo, invitedTo, isUnencrypted, type Server } from "./invited-to.ts";
import { lookUp } from "./look-up.ts";
import { beginSignIn, type SignIn } from "./sign-in.ts";

/** The organization that a person agreed to join. */
export type Agreed = InvitedTo & { readonly insecureHttp: boolean };

type FirstRunDeps = {
  readonly setup: () => Omit<Setup, "signIn">;
  /** The person has agreed. A refusal is shown to them. */
  readonly onAgreed: (to: Agreed) => Promise<Reply> | Reply;
  /** The person changes nothing and goes back to the panel. */
  readonly onStay: () => Reply;
  /** Opens a page in the person's browser. Resolves to whether the system took the address. */
  readonly openPage: (address: string) => Promise<boolean>;
  /** A member has confirmed this computer in a browser, so the person goes on in the window. */
  readonly onConfirmed: () => void;
  readonly managed: ManagedSettings;
  readonly log: Log;
};

/** A server that the person trusts with their code or their sign-in. */
type Chosen = Server & {
  readonly insecureHttp: boolean;
  /** The person has compared the key that the server announced. */
  readonly isPinConfirmed: boolean;
};

/** An organization, and until when the person may join it (ms since the epoch). */
type Found = { readonly agreed: Agreed; readonly until: number };

type Waiting = {
  readonly signIn: SignIn;
  readonly shown: WaitingSignIn;
  /** Each page that waits gets it: a window can be closed and opened again. */
  readonly outcome: Promise<Reply<InvitationAnswer>>;
};

/**
 * Asks a person which organization this computer joins: at first, or in place of the one that it belongs to. Nothing happens
 * before they have seen its name and agreed.
 */
export function firstRun(deps: FirstRunDeps): Handlers<"setup"> {
  const { setup, onAgreed, onStay, openPage, onConfirmed, managed, log } = deps;
  let found: Found | null = null;
  let waiting: Waiting | null = null;
  const forget = (): void => {
    found = null;
    waiting?.signIn.close();
    waiting = null;
  };

  const find = async (at: Chosen, code: string, isCurrent: () => boolean, until: number) => {
    const { url, pin, insecureHttp, isPinConfirmed } = at;
    const reply = await lookUp({ url, pin, code }, log);
    if (reply.kind === "refused") return reply;
    const { member } = setup();
    const { organization, server } = reply.value;
    if (member?.organization === organization && member.server === server) {
      return refusedFor("already-there", organization);
    }
    if (!isCurrent()) return refusedFor("sign-in-ended");
    found = { agreed: { url, pin, code, insecureHttp }, until };
    return isPinConfirmed ? ok({ ...reply.value, proof: "confirmed-key" as const }) : reply;
  };

  const signInAt = async (at: Chosen): Promise<Reply<InvitationAnswer>> => {
    const { insecureHttp } = at;
    const begun = await beginSignIn(at, { device: setup().device, insecureHttp }, log);
    if (begun.kind === "refused") return begun;
    const signIn = begun.value;
    const { address, number, code } = signIn;
    const shown = { server: new URL(at.url).host, address, number, isOpen: await openPage(address) };
    const isCurrent = (): boolean => waiting?.signIn === signIn;
    const outcome = signIn.confirmed.then(async (reply) => {
      signIn.close();
      if (reply.kind === "refused") return reply;
      onConfirmed();
      return await find(at, code, isCurrent, Date.now() + confirmedForMs);
    });
    forget();
    waiting = { signIn, shown, outcome };
    return ok({ kind: "sign-in", ...shown });
  };

  return {
    getSetup: () => ok({ ...setup(), signIn: waiting?.shown ?? null }),
    // A management's server is the only one.
    findServers: async () => ok({ servers: managed.server === undefined ? [...(await findServers())] : [] }),
    lookUp: async (given) => {
      forget();
      const read = invitedTo(given);
      if (read.kind === "refused") return read;
      const { url, code } = read.to;
      if (!allowsServer(managed, url)) return refusedFor("only-managed-server", managed.server ?? "");
      const isManaged = url === managed.server;
      if (isManaged && managed.pin !== undefined && read.to.pin !== null && read.to.pin !== managed.pin) {
        return refusedFor("link-of-another-key");
      }
      // A code that a person types comes without the server's pin.
      const pin = isManaged ? (managed.pin ?? read.to.pin) : read.to.pin;
      const insecureHttp = given.insecureHttp || (isManaged && managed.insecureHttp === true);
      const { host } = new URL(url);
      if (isUnencrypted({ url }) && !insecureHttp) return ok({ kind: "unencrypted", server: host });
      const announced = "server" in given.invitation ? given.invitation.announcedPin : null;
      // Nothing is sent to a server that only the network names, and least of all the code.
      if (announced !== null && !given.isPinConfirmed) {
        return ok({ kind: "unconfirmed", server: host, pin: announced });
      }
      const at = { url, pin, insecureHttp, isPinConfirmed: announced !== null };
      return code === null ? await signInAt(at) : await find(at, code, () => true, Infinity);
    },
    openSignIn: async () => {
      if (waiting === null) return refusedFor("sign-in-ended");
      return ok({ isOpen: await openPage(waiting.shown.address) });
    },
    awaitSignIn: () => waiting?.outcome ?? refusedFor("sign-in-ended"),
    cancelSignIn: () => {
      forget();
      return done;
    },
    join: async () => {
      if (found === null) return refusedFor("look-up-first");
      const { agreed, until } = found;
      if (Date.now() > until) {
        return refusedFor("confirmation-expired");
      }
      const { host } = new URL(agreed.url);
      const reply = await onAgreed(agreed);
      if (reply.kind === "ok") log("info", "first-run.agreed", { server: host });
      return reply;
    },
    stay: onStay,
  };
}
