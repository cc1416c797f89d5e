import type { Language } from "../format/languages.ts";
import { plural } from "../format/quantity.ts";
import { type Role, roleWords } from "../people/roles.ts";
import { sayIn } from "./say.ts";

/** A mail in plain text. `sender`: the name beside the address that it comes from. */
export type Mail = { readonly sender: string; readonly subject: string; readonly text: string };

/** The reader's language, and the organization that mails are from. */
export type Letterhead = { readonly language: Language; readonly organization: string };

const senderOf = ({ language, organization }: Letterhead): string =>
  sayIn(language)(`Gleaner of ${organization}`);

const paragraphs = (...texts: readonly string[]): string => `${texts.join("\n\n")}\n`;

export function testMail(head: Letterhead): Mail {
  const say = sayIn(head.language);
  return {
    sender: senderOf(head),
    subject: say(`Gleaner of ${head.organization} can send mails`),
    text: paragraphs(say("This is the test mail that you asked for. Nothing is left to do.")),
  };
}

export function invitationMail(
  head: Letterhead,
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
  const say = sayIn(head.language);
  const { organization } = head;
  const named = roles.map((role) => say(roleWords(role))).join(", ");
  return {
    sender: senderOf(head),
    subject: say(`Join ${organization} on Gleaner`),
    text: paragraphs(
      say(`Hello ${name},`),
      say(`${invitedBy} invites you to ${organization} on Gleaner. Your roles there: ${named}.`),
      say("Open this link to join. It works once, and is only for you."),
      link,
    ),
  };
}

export function resetMail(head: Letterhead, link: string): Mail {
  const say = sayIn(head.language);
  return {
    sender: senderOf(head),
    subject: say(`Sign in to ${head.organization} on Gleaner`),
    text: paragraphs(
      say("Somebody asked for a link because of a forgotten password."),
      say("Open it to sign in, then set a new password on the page Account. It works once, within an hour."),
      link,
      say("If it was not you, do nothing: the password stays as it is."),
    ),
  };
}

/** Something that an alert tells, in English. `act` mends it, on the page of `link`; "" at its end. `since`: ms epoch. */
type News = {
  readonly sentence: string;
  readonly act: string;
  readonly link: string;
  readonly since: number;
};

const maxSubjectChars = 200;

/** A digest of alerts. `end`: the link that ends these mails. `alerts`: the page that shows who gets them. */
export function alertMail(
  head: Letterhead,
  {
    news,
    more,
    end,
    alerts,
  }: {
    readonly news: readonly News[];
    readonly more: number;
    readonly end: string;
    readonly alerts: string;
  },
): Mail {
  const say = sayIn(head.language);
  const first = say(news[0]?.sentence ?? "");
  const others = news.length + more - 1;
  const rest = others > 0 ? ` ${say(plural(others, ["And # more.", "And # more."]))}` : "";
  const told = news.map(({ sentence, act, link, since }) =>
    [
      say(sentence),
      say(`Since ${new Date(since).toISOString().slice(0, 16).replace("T", " ")} UTC.`),
      ...(act === "" ? [] : [`${say(act)}: ${link}`]),
    ].join("\n"),
  );
  const further =
    more === 0 ? [] : [say(plural(more, ["# more thing happened since.", "# more things happened since."]))];
  const why = [
    say(`You get alerts of ${head.organization}: an administrator chose you.`),
    say(`All recipients: ${alerts}`),
    say(`End these mails: ${end}`),
  ].join("\n");
  return {
    sender: senderOf(head),
    subject: `${head.organization}: ${first}${rest}`.slice(0, maxSubjectChars),
    text: paragraphs(...told, ...further, why),
  };
}

/** The words of the pages behind the link that ends alerts by mail. */
export function endPageWords(language: Language) {
  const say = sayIn(language);
  return {
    question: say("Do you want no more alerts by mail?"),
    act: say("End these mails"),
    ended: say("You get no more alerts by mail"),
    advice: say("An administrator can choose you again."),
  };
}
