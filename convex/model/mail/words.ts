import type { Infer } from "convex/values";
import { plural } from "../../../app/format/quantity.ts";
import { type Role, roleWords } from "../../../app/people/roles.ts";
import type { alertNews } from "../validators.ts";

export type Mail = { readonly subject: string; readonly text: string };

export function testMail(organization: string): Mail {
  return {
    subject: `Gleaner of ${organization} can send mails`,
    text: "This is the test mail that you asked for. Nothing is left to do.\n",
  };
}

export function invitationMail(
  organization: string,
  {
    name,
    invitedBy,
    roles,
    link,
  }: {
    readonly name: string;
    readonly invitedBy: string;
    readonly roles: readonly Role[];
    readonly link: string;
  },
): Mail {
  return {
    subject: `Join ${organization} on Gleaner`,
    text: `Hello ${name},

${invitedBy} invites you to ${organization} on Gleaner, as ${roles.map(roleWords).join(", ")}.
Open this link to join. It works once, and is only for you.

${link}
`,
  };
}

export function resetMail(organization: string, link: string): Mail {
  return {
    subject: `Sign in to ${organization} on Gleaner`,
    text: `Somebody asked for a link because of a forgotten password.
Open it to sign in, then set a new password on the page Account. It works once, within an hour.

${link}

If it was not you, do nothing: the password stays as it is.
`,
  };
}

/** A digest of alerts. `end`: the link that ends these mails. `alerts`: the page that shows who gets them. */
export function alertMail(
  organization: string,
  {
    news,
    more,
    end,
    alerts,
  }: {
    readonly news: readonly Infer<typeof alertNews>[];
    readonly more: number;
    readonly end: string;
    readonly alerts: string;
  },
): Mail {
  const [first] = news;
  const others = news.length + more - 1;
  const subject = `${organization}: ${first?.sentence ?? "news"}${others > 0 ? ` And ${String(others)} more.` : ""}`;
  const told = news.map(({ sentence, act, link, since }) => {
    const begun = `${sentence}\nSince ${new Date(since).toISOString().slice(0, 16).replace("T", " ")} UTC.`;
    return act === "" ? begun : `${begun}\n${act}: ${link}`;
  });
  const rest = more === 0 ? [] : [`${plural(more, ["# more thing", "# more things"])} happened since.`];
  const why = `You get alerts of ${organization}: an administrator chose you.\nAll recipients: ${alerts}\nEnd these mails: ${end}`;
  return { subject: subject.slice(0, 200), text: `${[...told, ...rest, why].join("\n\n")}\n` };
}
