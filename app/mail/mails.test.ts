import { describe, expect, it } from "vitest";
import { attentionWords, deviceConcerns, endedWords, fleetConcerns } from "../devices/attention.ts";
import { roles, roleWords } from "../people/roles.ts";
import { budgetAct, budgetSentence, testSentence } from "./alert-words.ts";
import { alertMail, endPageWords, invitationMail, type Mail, resetMail, testMail } from "./mails.ts";
import { sayIn } from "./say.ts";

const say = sayIn("de");
const budget = { name: "Nightly", share: 0.833, spentMicro: 12_345_678n, monthlyMicro: 1_500_000_000n };

const sentences = [
  ...[...deviceConcerns, ...fleetConcerns].flatMap((kind) => [
    ...[1, 1_234].flatMap((count) => Object.values(attentionWords({ kind, subject: "qwen/4b", count }))),
    endedWords({ kind, subject: "qwen/4b" }),
  ]),
  ...(["key", "member", "team"] as const).flatMap((kind) =>
    [true, false].map((refuses) => budgetSentence({ ...budget, kind, refuses })),
  ),
  ...roles.map(roleWords),
  budgetAct,
  testSentence,
];

it.each(sentences)("says in German: %s", (english) => {
  expect(say(english)).not.toMatch(/[{}#]|\b(the|of|no|is|are|an)\b/i);
  // Some words are the same in both languages.
  if (english.includes(" ")) expect(say(english)).not.toBe(english);
});

it("writes counts, shares and credits as in German, and names as they are", () => {
  expect(say(budgetSentence({ ...budget, kind: "key", refuses: false }))).toMatch(
    /Nightly .*83\s%.*12,35 cr .*1\.500 cr/,
  );
  expect(say(attentionWords({ kind: "failing", subject: "", count: 1_234 }).sentence)).toMatch(/^1\.234 /);
  const missed = say(attentionWords({ kind: "comfort-missed", subject: "", count: 2 }).sentence);
  expect(missed).toMatch(/\d\s%.*2 /);
  expect(say("Hello Donor,")).toBe("Hallo Donor,");
});

const head = { organization: "Acme" } as const;
const link = "https://gleaner.example.org/#x";
const mails = (language: "en" | "de"): readonly Mail[] => [
  testMail({ ...head, language }),
  invitationMail({ ...head, language }, { name: "Bo", invitedBy: "Ann", roles: ["admin", "donor"], link }),
  resetMail({ ...head, language }, link),
  alertMail(
    { ...head, language },
    {
      news: [
        { sentence: testSentence, act: "", link: "", since: 0 },
        { ...attentionWords({ kind: "stuck", subject: "", count: 2 }), link, since: 0 },
      ],
      more: 2,
      end: link,
      alerts: link,
    },
  ),
];

describe("a mail", () => {
  it("is in the reader's language, but for names and links", () => {
    const [english, german] = [mails("en"), mails("de")];
    expect(german[1]).toEqual({
      sender: "Gleaner von Acme",
      subject: "Einladung zu Acme auf Gleaner",
      text: `Hallo Bo,

Ann lädt Sie zu Acme auf Gleaner ein. Ihre Rollen dort: Administrator, Spender.

Öffnen Sie diesen Link, um beizutreten. Er funktioniert einmal und ist nur für Sie.

${link}
`,
    });
    expect(german[3]).toMatchObject({
      subject: "Acme: Das ist ein Test der Warnungen von Gleaner. Es ist alles in Ordnung. Und 3 weitere.",
      text: expect.stringContaining(`2 Geräte sind online, aber Gleaner startet dort seit über einer Stunde.
Seit 1970-01-01 00:00 UTC.
Gleaner dort neu starten: ${link}

Seitdem sind noch 2 weitere Dinge geschehen.
`),
    });
    const lines = ({ sender, subject, text }: Mail): readonly string[] => [
      sender,
      subject,
      ...text.split("\n"),
    ];
    for (const [at, mail] of english.entries()) {
      const same = lines(mail).filter((line) => line !== "" && lines(german[at]!).includes(line));
      expect(same.filter((line) => line !== link)).toEqual([]);
    }
  });

  it("has a link that ends alerts, and its pages have the same language", () => {
    expect(endPageWords("en").act).toBe("End these mails");
    const [english, german] = [endPageWords("en"), endPageWords("de")].map((words) => Object.values(words));
    for (const words of german!) expect(english).not.toContain(words);
  });
});
