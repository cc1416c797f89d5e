import { type Role, roleWords } from "../../../app/people/roles.ts";

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
