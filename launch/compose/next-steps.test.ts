import { expect, it } from "vitest";
import { type DonorStep, nextSteps } from "./next-steps.ts";

const pin = `sha256:${"a".repeat(64)}`;
const fingerprint = "AB:CD";
const headless = {
  kind: "headless",
  panelUrl: "http://p",
  because: "there is no display",
  isRetired: false,
} as const;

const printed = (donor: DonorStep): string =>
  nextSteps({
    organizationName: "Acme",
    dataFolder: "/d",
    secretsFolder: null,
    publicSiteUrl: "https://office:3211",
    publicUrl: "https://office:3210",
    certificate: { certFile: "/d/certificate.pem", keyFile: "/d/key.pem", pin, fingerprint },
    apiKey: "sk",
    modelId: "m",
    signInLink: "http://c",
    awaySignInLink: "https://office:3211/c",
    donor,
    others: { kind: "network", enrollmentCode: "GLN-1" },
  }).replace(/\s+/g, " ");

it("says what a computer that nobody uses does in its first hour, and after that", () => {
  const first = printed({ ...headless, attended: false, firstHour: true });
  expect(first).toContain("for the first hour whatever else runs here. Then at any time");
  const later = printed({ ...headless, attended: false, firstHour: false });
  expect(later).toContain("It donates at any time while other programs leave room, until you press Pause.");
  expect(later).not.toContain("first hour");
});

it("lets a requester log in by the command, which pins the server's key", () => {
  const text = printed({ kind: "desktop", firstHour: false, isRetired: false });
  expect(text).toContain(`npm run -s gleaner -- login --url https://office:3211 --pin ${pin}`);
});

it("exports the variables of the SDKs, so that the programs that a person starts next have them", () => {
  const text = printed({ kind: "desktop", firstHour: false, isRetired: false });
  expect(text).toContain("export OPENAI_BASE_URL=https://office:3211/v1 OPENAI_API_KEY=sk ");
  expect(text).toContain("export NODE_EXTRA_CA_CERTS=/d/certificate.pem Python");
});

it("names the certificate's fingerprint and the pin so that nobody compares one with the other", () => {
  const text = printed({ kind: "desktop", firstHour: false, isRetired: false });
  expect(text).toContain(`fingerprint of the certificate (SHA-256): ${fingerprint}`);
  expect(text).toContain(`--pin ${pin}`);
  expect(text).toContain("hash of this server's key");
  expect(text).toContain("not the certificate's fingerprint that browsers show");
});

it.each([
  { kind: "desktop", firstHour: false, isRetired: true },
  { ...headless, attended: true, firstHour: false, isRetired: true },
] as const)("says of a retired computer that it donates nothing, and what to do: $kind", (donor) => {
  const text = printed(donor);
  expect(text).toContain("It donates nothing, because an administrator retired it.");
  expect(text).toContain("gleaner -- leave --yes --data /d");
  expect(text).not.toContain("It donates while");
});
