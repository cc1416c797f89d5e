export type NextSteps = {
  readonly organizationName: string;
  readonly dataFolder: string;
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

/** Whether other computers can reach this one, and how they join. */
export type OthersStep =
  | { readonly kind: "loopback" }
  | { readonly kind: "network"; readonly backendUrl: string; readonly enrolmentCode: string };

/** A prompt that the demo model was made for. */
export const samplePrompt = "Return JSON with name and city: Anna Weber lives in Lyon.";

/** What is printed once everything runs: for each of the three people, what to do next, ready to copy. */
export function nextSteps(steps: NextSteps): string {
  return [
    "",
    `Gleaner runs for ${steps.organizationName}. Everything it keeps is in ${steps.dataFolder}`,
    "",
    "ADMIN      open the console (this link signs you in once):",
    `  ${steps.signInLink}`,
    "",
    "REQUESTER  ask the donated machines, with curl or any OpenAI SDK:",
    ...curl(steps).map((line) => `  ${line}`),
    "",
    ...donorLines(steps.donor),
    "",
    ...othersLines(steps.others),
    "",
    "Ctrl-C stops everything; jobs under way go back to the queue.",
    "",
  ].join("\n");
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
    `OPENAI_BASE_URL=${steps.apiBase} OPENAI_API_KEY=${steps.apiKey}`,
  ];
}

function donorLines(donor: DonorStep): string[] {
  if (donor.kind === "desktop") {
    return [
      "DONOR      this computer: the Gleaner icon in the tray has Pause and Open.",
      whenAttended(donor.firstHour),
    ];
  }
  return [
    `DONOR      this computer, without a tray because ${donor.because}. Its switch and history:`,
    `  ${donor.panelUrl}`,
    donor.attended
      ? whenAttended(donor.firstHour)
      : "  Nobody is taken to sit at it, so it donates at any time until you press Pause.",
  ];
}

function whenAttended(firstHour: boolean): string {
  return firstHour
    ? "  It donates for the first hour even while you work, so that you can try it; then only when idle."
    : "  It donates while nobody uses the computer; Donate now in its window does so at once.";
}

function othersLines(others: OthersStep): string[] {
  if (others.kind === "loopback") {
    return ["Other computers cannot reach this one. To let them join: npm start -- --host 0.0.0.0"];
  }
  return [
    "ANOTHER COMPUTER joins from a clone of its own (the code works once, for a day):",
    `  GLEANER_CODE=${others.enrolmentCode} npm run donate -- --backend ${others.backendUrl}`,
    "  This is plain HTTP, for a network that you trust; docs/deploying.md says how to put TLS in front.",
  ];
}
