import type { MembershipReport } from "../../app/contract/membership.ts";
import { sentenceOf, spellDonorSentence } from "../../app/contract/sentences/donor-sentences.ts";
import { visibleText } from "../../app/format/visible.ts";
import { CommandError } from "../command/command.ts";

type Options = {
  /** Whether an enrollment code was given. */
  readonly hasCode: boolean;
  /** Standard output is for a program. */
  readonly isJson: boolean;
};

/** Follows a donor until it joins its organization, and tells its person at the terminal. */
export class JoinProgress {
  readonly #options: Options;
  readonly #firstReport: Promise<void>;
  #onFirst = (): void => undefined;
  #onHopeless: (error: CommandError) => void = () => undefined;
  #last: MembershipReport | null = null;
  #isShown = false;
  #wasAlone = false;
  #said: string | null = null;

  /** Resolves when this computer cannot join, and only a start with other arguments can change that. */
  readonly hopeless: Promise<CommandError>;

  constructor(options: Options) {
    this.#options = options;
    this.#firstReport = new Promise((resolve) => (this.#onFirst = resolve));
    this.hopeless = new Promise((resolve) => (this.#onHopeless = resolve));
  }

  /** Resolves when it is known whether this computer is a member, or after `withinMs`. */
  async known(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([this.#firstReport, late]);
    clearTimeout(timer);
  }

  /** From now on it prints. */
  show(): void {
    this.#isShown = true;
    this.#print();
  }

  take(report: MembershipReport): void {
    this.#last = report;
    this.#wasAlone ||= report.device === null;
    const { device, problem } = report;
    if (device === null && problem?.remedy === "restart") {
      this.#onHopeless(new CommandError(`Gleaner could not join. ${problem.sentence}`));
    }
    this.#onFirst();
    this.#print();
  }

  #print(): void {
    if (!this.#isShown || this.#last === null) return;
    const { hasCode, isJson } = this.#options;
    const line = sayMembership(this.#last, hasCode, this.#wasAlone);
    if (line === null || line === this.#said) return;
    this.#said = line;
    if (this.#last.problem !== null || isJson) console.error(visibleText(line));
    else console.log(visibleText(line));
  }
}

/** A line for the person at the terminal. Null if there is nothing to say yet. */
function sayMembership(
  { organization, device, isOnline, isRetired, problem }: MembershipReport,
  hasCode: boolean,
  hasJustJoined: boolean,
): string | null {
  const again = "stop this with Ctrl-C and run it again with GLEANER_CODE=GLN-…";
  if (problem !== null) {
    return problem.remedy === "code"
      ? `${problem.sentence} Enter a new code in the panel, or ${again}`
      : problem.sentence;
  }
  if (isRetired) return spellDonorSentence(sentenceOf("retired"));
  if (!isOnline) return null;
  if (device !== null) {
    return `${hasJustJoined ? "Joined" : "Connected to"} ${organization ?? "the organization"} as ${device}.`;
  }
  if (hasCode) return null;
  return (
    "This computer belongs to no organization yet. Enter an enrollment code from your administrator in the panel, " +
    `or ${again}`
  );
}
