/** The rules for second factors, in the console's words. */
const words = {
  optional: "Nobody has to",
  required: "Everybody who signs in without single sign-on",
  "required-everywhere": "Everybody, also with single sign-on",
} as const;

export type SecondFactorRule = keyof typeof words;

export const secondFactorRules = Object.keys(words) as readonly SecondFactorRule[];

export function secondFactorRuleWords(rule: SecondFactorRule): string {
  return words[rule];
}

/** Whether the rule asks for a second factor in a session that began in this way. */
export function asksForSecondFactor(rule: SecondFactorRule, bySingleSignOn: boolean): boolean {
  return rule === "required-everywhere" || (rule === "required" && !bySingleSignOn);
}
