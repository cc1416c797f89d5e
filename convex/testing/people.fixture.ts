import type { Role } from "../../app/people/roles.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { present } from "../model/refuse.ts";
import { type Backend, secret } from "./backend.fixture.ts";

type Invitee = {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly email?: string;
  readonly days?: number;
};

type Joining = Invitee & {
  /** The browser of the new member. */
  readonly agent?: string;
};

/** Invites somebody. `session`: the inviter's. */
export async function inviteMember(
  t: Backend,
  session: string,
  invitee: Invitee,
): Promise<{ token: string; invitationId: Id<"invitations"> }> {
  const token = secret("gi_");
  const invitation = { ...invitee, roles: [...invitee.roles], tokenHash: await hashSecret(token) };
  return { token, ...(await t.mutation(api.console.people.invite, { session, ...invitation })) };
}

/** A new member and their session. */
export async function joinAs(
  t: Backend,
  inviter: string,
  { agent, ...invitee }: Joining,
): Promise<{ session: string; memberId: Id<"members"> }> {
  const { token } = await inviteMember(t, inviter, invitee);
  const session = secret("gs_");
  const joined = await t.mutation(api.console.account.acceptInvite, {
    token,
    session,
    ...(agent === undefined ? {} : { agent }),
  });
  if (joined.kind !== "signed-in") throw new Error(joined.reason);
  return { session, memberId: joined.member.memberId };
}

/** A provider for single sign-on, which nobody has used. */
export async function addProvider(
  t: Backend,
  organizationId: Id<"organizations">,
): Promise<Id<"ssoProviders">> {
  return await t.run(
    async (ctx) =>
      await ctx.db.insert("ssoProviders", {
        organizationId,
        name: "ID",
        issuer: "https://id.example.org",
        clientId: "gleaner",
        clientSecret: "plain.secret",
        scopes: "openid",
        groupsClaim: "groups",
        groups: [],
        emailDomains: [],
        admitsUnknown: false,
        trustsEmail: false,
        enabled: true,
        createdAt: Date.now(),
      }),
  );
}

const sessionMs = 86_400_000;

/** Begins a session of a member, which lasts a day whatever the idle time is. */
export async function sessionFor(t: Backend, memberId: Id<"members">): Promise<string> {
  const session = secret("gs_");
  const sessionHash = await hashSecret(session);
  const now = Date.now();
  const times = { startedAt: now, provenAt: now, expiresAt: now + sessionMs };
  await t.run(async (ctx) => {
    const { organizationId } = present(await ctx.db.get("members", memberId), "member");
    await ctx.db.insert("sessions", { organizationId, memberId, sessionHash, ...times });
  });
  return session;
}
