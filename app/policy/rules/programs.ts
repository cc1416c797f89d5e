import { check, type Context, veto } from "../declare/check.ts";
import { names, type ValuesOf } from "../declare/rule.ts";

export const programRules = {
  /** Names of program files, in any case, with or without ".exe". */
  excludedPrograms: names({
    section: "others",
    title: "Excluded programs",
    hint: "It stops while one of them runs. Names of program files, with or without .exe.",
    default: [],
    placeholder: "For example teams, obs64.exe",
    none: /* @wc-include */ "none",
  }),
};

type ProgramRules = ValuesOf<typeof programRules>;

/** If the running programs are unknown, an excluded program may be among them. */
export const excludedPrograms = check({
  reasons: {
    "excluded-program": {
      short: "Excluded program",
      brief: "Gleaner waits until an excluded program is closed.",
      sentence: "An excluded program is running. Gleaner waits until it is closed.",
      cooldownSeconds: 10,
      facts: ["excludedProgram"],
    },
    "programs-unknown": {
      short: "Programs unknown",
      brief: "Gleaner cannot tell which programs run, so it waits.",
      sentence:
        "Some programs are excluded, and this system does not say which programs run. So Gleaner waits.",
      facts: ["excludedProgram"],
    },
  },
  needs: (rules: ProgramRules) => (rules.excludedPrograms.length > 0 ? ["excludedProgram"] : []),
  veto: ({ facts: { excludedProgram }, rules }: Context<"excludedProgram", ProgramRules>) => {
    if (rules.excludedPrograms.length === 0) return null;
    if (!excludedProgram.known) return veto("programs-unknown");
    return excludedProgram.value === null ? null : veto("excluded-program");
  },
});
