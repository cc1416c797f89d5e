import type { Setup } from "../../app/contract/invitation.ts";
import type { NearbyServer } from "../../app/nearby-servers.ts";
import type { FoundOrganization } from "../panel/first-run/Consent.tsx";
import { FirstRunView, type Props, type Step } from "../panel/first-run/FirstRunView.tsx";
import type { Story } from "./story.ts";

const found: FoundOrganization = {
  kind: "found",
  organization: "Demo organization",
  server: "gleaner.office.example:3210",
  keyFingerprint: "q83v EjRW eJq8 3vAS NFZ4",
  proof: "pinned-key",
  needsApproval: false,
  owner: null,
};

const pin = `sha256:${"3fa9c1d27b".repeat(7).slice(0, 64)}`;
const nearby = [
  { organization: "Demo organization", url: "https://192.168.1.20:3210", pin },
  { organization: "Northwind Research", url: "https://192.168.1.44:3210", pin },
];

const signIn = {
  server: "gleaner.office.example:3210",
  address: `https://gleaner.office.example/console/#/enroll-device?code=${"3fa9c1d27b".repeat(7).slice(0, 64)}&device=laptop-042`,
  number: "482 913",
  isOpen: true,
};

const link = "gleaner://join#join=GLN-7K2M-9QXD-4WHT";
const fresh: Setup = {
  version: "0.1.0",
  device: "laptop-042",
  server: null,
  link: null,
  signIn: null,
  member: null,
  departure: null,
};
const member = { organization: "Northwind Research", server: "gleaner.northwind.example", mayLeave: true };
const left = { organization: "Northwind Research", device: "laptop-042", kept: [] };

/** The page for joining an organization, in each of its steps. */
export function firstRunStories(): readonly Story[] {
  const step = (
    id: string,
    initialStep: Step,
    change: Partial<Setup> = {},
    servers: readonly NearbyServer[] = [],
    onAwaitSignIn: ReturnType<Props["onAwaitSignIn"]> = new Promise(() => undefined),
  ): Story => ({
    id,
    group: "Panel",
    size: [420, 640],
    content: (
      <FirstRunView
        setup={{ ...fresh, ...change }}
        initialStep={initialStep}
        onFindServers={() => Promise.resolve(servers)}
        onLookUp={() => Promise.resolve({ refusal: "gleaner.office.example did not answer." })}
        onAwaitSignIn={() => onAwaitSignIn}
        onOpenSignIn={() => Promise.resolve(true)}
        onCancelSignIn={() => undefined}
        onJoin={() => Promise.resolve(null)}
        onStay={() => undefined}
      />
    ),
  });
  return [
    step("first-run", { kind: "asking" }),
    step("first-run-nearby", { kind: "asking" }, {}, nearby),
    step("first-run-unconfirmed", {
      kind: "unconfirmed",
      server: "192.168.1.20:3210",
      pin,
      given: { server: "https://192.168.1.20:3210", code: "GLN-7K2M-9QXD-4WHT", announcedPin: pin },
    }),
    step("first-run-sign-in", { kind: "sign-in", ...signIn }),
    step("first-run-sign-in-by-hand", { kind: "sign-in", ...signIn, isOpen: false }),
    step(
      "first-run-sign-in-late",
      { kind: "sign-in", ...signIn },
      {},
      [],
      Promise.resolve({ refusal: "Nobody confirmed this computer within ten minutes. Start again." }),
    ),
    step("first-run-link", { kind: "asking" }, { link }),
    step("first-run-managed", { kind: "asking" }, { server: "https://gleaner.office.example:3210" }),
    step("first-run-left", { kind: "asking" }, { departure: { ...left, isTold: true } }),
    step("first-run-left-untold", { kind: "asking" }, { departure: { ...left, isTold: false } }),
    step("switch", { kind: "asking" }, { link, member }),
    step("switch-locked", { kind: "asking" }, { link, member: { ...member, mayLeave: false } }),
    step("switch-consent", { kind: "found", organization: found }, { member }),
    step("first-run-unencrypted", {
      kind: "unencrypted",
      server: "office.example:3210",
      given: { server: "http://office.example:3210", code: "GLN-7K2M-9QXD-4WHT", announcedPin: null },
    }),
    step("first-run-consent", { kind: "found", organization: found }),
    step("first-run-consent-long", {
      kind: "found",
      organization: {
        ...found,
        organization: "Institute for the Documentation of Endangered Languages and Their Neighbors",
        server: "gleaner-production.internal.institute-for-documentation.example.org:3210",
        keyFingerprint: null,
        proof: "none",
        needsApproval: true,
        owner: "Department of Descriptive Linguistics and Language Documentation",
      },
    }),
  ];
}
