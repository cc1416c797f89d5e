type NextSteps = {
  readonly organizationName: string;
  readonly dataFolder: string;
  /** The folder of the secrets' files. Null on a terminal: the fields below are the secrets then, else commands. */
  readonly secretsFolder: string | null;
  readonly apiBase: string;
  readonly apiKey: string;
  readonly modelId: string;
  readonly signInLink: string;
  readonly donor: DonorStep;
  readonly others: OthersStep;
};

export type DonorStep =
  | { readonly kind: "desktop"; readonly firstHour: boolean }
  | {
      readonly kind: "headless";
      readonly panelUrl: string;
      readonly because: string;
      readonly attended: boolean;
      readonly firstHour: boolean;
    };

/** Whether other computers can reach this one, and if so, how they join. */
export type OthersStep =
  | { readonly kind: "loopback" }
  | { readonly kind: "network"; readonly backendUrl: string; readonly enrollmentCode: string };

/** A prompt that the demo model can answer. */
const samplePrompt = "Return JSON with name and city: Anna Weber lives in Lyon.";

/**
 * The text that is printed when everything runs: the next steps for admin, requester and donor, ready to copy. Without a terminal it
 * has no secret: its commands read them from files, so they work only for the person whose files they are.
 */
export function nextSteps(steps: NextSteps): string {
  return [
    "",
    `Gleaner runs for ${steps.organizationName}. Its data is in ${steps.dataFolder}`,
    "",
    ...secretNote(steps.secretsFolder),
    steps.secretsFolder === null
      ? "ADMIN      Open the console. This link signs you in, once:"
      : "ADMIN      Open the console. This command prints the link that signs you in, once:",
    `  ${steps.signInLink}`,
    "",
    "REQUESTER  Send a request with curl or any OpenAI SDK:",
    ...curl(steps).map((line) => `  ${line}`),
    "",
    ...donorLines(steps.donor, steps.secretsFolder === null),
    "",
    ...othersLines(steps.others, steps.secretsFolder === null),
    "",
    "Ctrl-C stops everything. Jobs under way go back to the queue.",
    "",
  ].join("\n");
}

function secretNote(folder: string | null): string[] {
  if (folder === null) return [];
  return [
    `This output is no terminal, so the secrets are not printed. They are in ${folder}, and only you can read them.`,
    "To print them here instead: npm start -- --print-secrets, or GLEANER_PRINT_SECRETS=1",
    "",
  ];
}

function curl(steps: NextSteps): string[] {
  const body = JSON.stringify({
    model: steps.modelId,
    messages: [{ role: "user", content: samplePrompt }],
  });
  return [
    `curl ${steps.apiBase}/chat/completions \\`,
    `  -H "Authorization: Bearer ${steps.apiKey}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
    "",
    `OPENAI_BASE_URL=${steps.apiBase} OPENAI_API_KEY=${quotedWord(steps.apiKey)}`,
  ];
}

/** A call needs quotes, a key does not. */
function quotedWord(word: string): string {
  return word.startsWith("$(") ? `"${word}"` : word;
}

function donorLines(donor: DonorStep, isPrinted: boolean): string[] {
  if (donor.kind === "desktop") {
    return [
      "DONOR      This computer. Click the Gleaner icon in the tray to pause it or to open its window.",
      whenAttended(donor.firstHour),
    ];
  }
  return [
    `DONOR      This computer, without a tray because ${donor.because}. ${isPrinted ? "Its panel" : "This prints its panel's link"}:`,
    `  ${donor.panelUrl}`,
    donor.attended ? whenAttended(donor.firstHour) : "  It donates at any time, until you press Pause.",
  ];
}

function whenAttended(firstHour: boolean): string {
  return firstHour
    ? "  It donates for the first hour even while you work, so that you can try it. Then only while idle."
    : "  It donates while nobody uses the computer. To donate at once, press Donate now in its window.";
}

function othersLines(others: OthersStep, isPrinted: boolean): string[] {
  if (others.kind === "loopback") {
    return ["Other computers cannot reach this one. To let them join: npm start -- --host 0.0.0.0"];
  }
  return [
    "ANOTHER COMPUTER  In a clone of the repository there, run (the code works once, within a day):",
    `  GLEANER_CODE=${isPrinted ? others.enrollmentCode : "…"} npm run donate -- --backend ${others.backendUrl}`,
    ...(isPrinted ? [] : ["  This command prints the code here:", `  ${others.enrollmentCode}`]),
    "  This is plain HTTP, for a network that you trust. To add TLS, see docs/deploying.md.",
  ];
}
