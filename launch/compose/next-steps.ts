type NextSteps = {
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

/** Whether other computers can reach this one, and if so, how they join. */
export type OthersStep =
  | { readonly kind: "loopback" }
  | { readonly kind: "network"; readonly backendUrl: string; readonly enrollmentCode: string };

/** A prompt that the demo model can answer. */
const samplePrompt = "Return JSON with name and city: Anna Weber lives in Lyon.";

/** The text that is printed when everything runs: the next steps for admin, requester and donor, ready to copy. */
export function nextSteps(steps: NextSteps): string {
  return [
    "",
    `Gleaner runs for ${steps.organizationName}. Its data is in ${steps.dataFolder}`,
    "",
    "ADMIN      Open the console. This link signs you in, once:",
    `  ${steps.signInLink}`,
    "",
    "REQUESTER  Send a request with curl or any OpenAI SDK:",
    ...curl(steps).map((line) => `  ${line}`),
    "",
    ...donorLines(steps.donor),
    "",
    ...othersLines(steps.others),
    "",
    "Ctrl-C stops everything. Jobs under way go back to the queue.",
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
      "DONOR      This computer. Click the Gleaner icon in the tray to pause it or to open its window.",
      whenAttended(donor.firstHour),
    ];
  }
  return [
    `DONOR      This computer, without a tray because ${donor.because}. Its panel:`,
    `  ${donor.panelUrl}`,
    donor.attended ? whenAttended(donor.firstHour) : "  It donates at any time, until you press Pause.",
  ];
}

function whenAttended(firstHour: boolean): string {
  return firstHour
    ? "  It donates for the first hour even while you work, so that you can try it. Then only while idle."
    : "  It donates while nobody uses the computer. To donate at once, press Donate now in its window.";
}

function othersLines(others: OthersStep): string[] {
  if (others.kind === "loopback") {
    return ["Other computers cannot reach this one. To let them join: npm start -- --host 0.0.0.0"];
  }
  return [
    "ANOTHER COMPUTER  In a clone of the repository there, run (the code works once, within a day):",
    `  GLEANER_CODE=${others.enrollmentCode} npm run donate -- --backend ${others.backendUrl}`,
    "  This is plain HTTP, for a network that you trust. To add TLS, see docs/deploying.md.",
  ];
}
