import * as z from "zod";
import { serverPin } from "../nearby-servers.ts";
import type { Departure } from "./leaving.ts";

/** A sign-in that waits until a member confirms this computer on a page of the console. */
const waitingSignIn = z.object({
  /** The server's host and port. */
  server: z.string(),
  /** The page's address. It contains no secret. */
  address: z.string(),
  /** The page shows the same one. */
  number: z.string(),
  /** Whether the system took the address for a browser. */
  isOpen: z.boolean(),
});

export type WaitingSignIn = z.output<typeof waitingSignIn>;

/** The facts that the page of the first start begins with. */
export type Setup = {
  readonly version: string;
  /** The name that this computer will have in its organization. */
  readonly device: string;
  /** The only server that this computer's management allows. Null if it may join at any. */
  readonly server: string | null;
  /** The invitation's link that opened the program. Null if none did. */
  readonly link: string | null;
  /** The sign-in that waits. Null if none does. */
  readonly signIn: WaitingSignIn | null;
  /** The organization that this computer belongs to. It has to leave it before it joins another. */
  readonly member: {
    readonly organization: string;
    /** Its server's host and port. */
    readonly server: string;
    /** Whether it lets this computer leave. */
    readonly mayLeave: boolean;
  } | null;
  /** This computer has just left an organization. */
  readonly departure: Departure | null;
};

const server = z
  .object({
    server: z.string().trim().min(1).max(300),
    /** The pin that a server of this network announced. Null for a typed address. */
    announcedPin: serverPin.nullable(),
  })
  .strict();

/** An invitation as a person gives it: its link, or a server's address with a code, or without one to sign in there. */
export const givenInvitation = z
  .object({
    invitation: z.union([
      z.object({ link: z.string().trim().min(1).max(2_000) }).strict(),
      server.extend({ code: z.string().trim().min(4).max(200) }),
      server,
    ]),
    /** Whether the person allows a connection without encryption to another computer. */
    insecureHttp: z.boolean(),
    /** Whether the person has compared the announced pin with the server's own. */
    isPinConfirmed: z.boolean(),
  })
  .strict();

export type GivenInvitation = z.output<typeof givenInvitation>;

export const invitationAnswer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("found"),
    organization: z.string(),
    /** The server's host and port. */
    server: z.string(),
    /** The part of the organization's key that people compare with the console's. Null if its models are not signed. */
    keyFingerprint: z.string().nullable(),
    /** How this computer knows that it talks to this server. */
    proof: z.enum(["pinned-key", "confirmed-key", "authority", "this-computer", "none"]),
    /** Whether an admin has to approve this computer. */
    needsApproval: z.boolean(),
    /** The member or team to whom this computer will belong. Null: the organization. */
    owner: z.string().nullable(),
  }),
  /** The server can only be reached without encryption, which the person has to allow first. */
  z.object({ kind: z.literal("unencrypted"), server: z.string() }),
  /** Only the network names the server's key, which the person has to compare first. */
  z.object({ kind: z.literal("unconfirmed"), server: z.string(), pin: z.string() }),
  /** The organization is found once a member has signed in and confirmed this computer. */
  waitingSignIn.extend({ kind: z.literal("sign-in") }),
]);

export type InvitationAnswer = z.output<typeof invitationAnswer>;
