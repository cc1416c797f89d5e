import type { Id } from "../../convex/_generated/dataModel.js";
import { NewPassword } from "../console/account/NewPassword.tsx";
import { SecondFactorCardView } from "../console/account/SecondFactorCard.tsx";
import { SecurityView } from "../console/account/SecurityCards.tsx";
import { SetUpView } from "../console/account/SetUpSecondFactor.tsx";
import { PasskeysView } from "../console/passkeys/PasskeysCard.tsx";
import { ForgotPassword } from "../console/session/ForgotPassword.tsx";
import { ProofView } from "../console/session/ProofDialog.tsx";
import { GateView } from "../console/session/SecondFactorGate.tsx";
import { SecondFactorView } from "../console/session/SecondFactorPage.tsx";
import { SignedOut } from "../console/session/SignedOut.tsx";
import { SignInForm } from "../console/session/SignInForm.tsx";
import { MailServerDialog, MailServerView } from "../console/sign-in/MailServer.tsx";
import { formOf } from "../console/sign-in/provider-form.ts";
import { ProviderDialog } from "../console/sign-in/ProviderDialog.tsx";
import { SecondFactorRuleView } from "../console/sign-in/SecondFactorRule.tsx";
import { SignInSettings } from "../console/sign-in/SignInSettingsPage.tsx";
import { inShell, page } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const refused = (): Promise<boolean> => Promise.resolve(false);
const wrong = (): Promise<string> => Promise.resolve("The e-mail address or the password is wrong.");

const hourMs = 3_600_000;
const redirectUri = "https://gleaner.northwind.example/auth/callback";
const offered = [{ providerId: "1", name: "Northwind ID" }];

/** The pages and dialogs about signing in. */
export function signInStories(now: number): readonly Story[] {
  const provider = {
    providerId: "1" as Id<"ssoProviders">,
    name: "Northwind ID",
    issuer: "https://login.microsoftonline.com/5f1c9a70-3a52-4a9e-8a1e-0c8f1d2b7e11/v2.0",
    clientId: "0b7c3c1e-2d2f-4b8e-9f56-3a3f8f0f6a10",
    scopes: "openid email profile offline_access",
    groupsClaim: "roles",
    groups: [
      { group: "gleaner-admins", roles: ["admin" as const] },
      { group: "*", roles: ["requester" as const, "donor" as const] },
    ],
    emailDomains: ["northwind.example"],
    admitsUnknown: true,
    trustsEmail: true,
    enabled: true,
    createdAt: now - 40 * hourMs,
  };
  const google = {
    ...provider,
    providerId: "2" as Id<"ssoProviders">,
    name: "Google",
    issuer: "https://accounts.google.com",
    enabled: false,
  };
  const settings = {
    redirectUri,
    address: "https://gleaner.northwind.example/console/#/sign-in?organization=k57a9",
    mayChange: true,
    onSave: refused,
    onRemove: nothing,
  };
  const secondFactor = (
    <SecondFactorCardView
      state={{ confirmedAt: now - 2 * hourMs, recoveryCodesLeft: 9 }}
      onSetUp={nothing}
      onRenew={nothing}
      onRemove={nothing}
    />
  );
  const noSecondFactor = (
    <SecondFactorCardView state={null} onSetUp={nothing} onRenew={nothing} onRemove={nothing} />
  );
  const appSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const setUp = {
    secret: appSecret,
    uri: `otpauth://totp/Gleaner%20Northwind:ada%40northwind.example?secret=${appSecret}&issuer=Gleaner%20Northwind`,
    onCode: wrong,
    onClose: nothing,
  };
  const recoveryCodes = Array.from({ length: 10 }, (_, n) => `k7qd-x3ma-${String(n % 8)}pzt-w5hr`);
  const passkeys = {
    passkeys: [
      {
        passkeyId: "1" as Id<"passkeys">,
        name: "Work laptop",
        createdAt: now - 90 * hourMs,
        usedAt: now - hourMs,
      },
      { passkeyId: "2" as Id<"passkeys">, name: "Phone", createdAt: now - 2 * hourMs, usedAt: null },
    ],
    problem: null,
    onAdd: refused,
    onRename: refused,
    onRemove: nothing,
  };
  const security = {
    email: "ada@northwind.example",
    about: [],
    onSet: refused,
    onRemove: nothing,
  };
  const providers = [provider, google];
  const form = {
    providers: offered,
    onPassword: wrong,
    onProvider: wrong,
    onPasskey: wrong,
    onForgot: wrong,
  };
  const mail = {
    host: "smtp.northwind.example",
    port: 587,
    security: "starttls" as const,
    user: "gleaner",
    from: "gleaner@northwind.example",
  };
  const proof = {
    hasPassword: true,
    hasSecondFactor: false,
    onCode: wrong,
    onPasskey: null,
    providers: offered,
    onPassword: wrong,
    onProvider: wrong,
    onClose: nothing,
  };
  return [
    page(
      "console-sign-in",
      <SignedOut reason="new">
        <SignInForm {...form} />
      </SignedOut>,
    ),
    page(
      "console-sign-in-refused",
      <SignedOut
        reason={{
          refused: "None of your groups has a role here. Ask an administrator which group you need.",
        }}
      >
        <SignInForm {...form} providers={[]} />
      </SignedOut>,
    ),
    inShell("console-sign-in-settings", "sign-in", <SignInSettings {...settings} providers={providers} />),
    inShell("console-sign-in-settings-empty", "sign-in", <SignInSettings {...settings} providers={[]} />),
    inShell(
      "console-sign-in-settings-auditor",
      "sign-in",
      <SignInSettings {...settings} providers={providers} mayChange={false} />,
    ),
    page(
      "console-provider",
      <ProviderDialog
        initial={formOf(provider)}
        isNew={false}
        redirectUri={redirectUri}
        onSave={refused}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-security",
      "account",
      <SecurityView
        {...security}
        secondFactor={
          <>
            <PasskeysView {...passkeys} />
            {secondFactor}
          </>
        }
        own={{ passwordAt: now - 3 * hourMs, singleSignOn: true, providers: offered }}
      />,
    ),
    inShell(
      "console-security-none",
      "account",
      <SecurityView
        {...security}
        email={null}
        secondFactor={
          <>
            <PasskeysView
              {...passkeys}
              passkeys={[]}
              problem="Passkeys need an address with TLS, and this one begins with http://."
            />
            {noSecondFactor}
          </>
        }
        own={{ passwordAt: null, singleSignOn: false, providers: [] }}
      />,
    ),
    page("console-new-password", <NewPassword about={[]} onSet={refused} onClose={nothing} />),
    page("console-proof", <ProofView {...proof} />),
    page("console-proof-code", <ProofView {...proof} providers={[]} hasSecondFactor onPasskey={wrong} />),
    page("console-second-factor", <SecondFactorView onCode={wrong} onBack={nothing} />),
    page("console-second-factor-setup", <SetUpView {...setUp} codes={null} />),
    page("console-recovery-codes", <SetUpView {...setUp} codes={recoveryCodes} />),
    page(
      "console-second-factor-required",
      <GateView
        organization="Northwind"
        setUp={
          <>
            <PasskeysView {...passkeys} passkeys={[]} />
            {noSecondFactor}
          </>
        }
        onCode={null}
        onPasskey={null}
        onSignOut={nothing}
      />,
    ),
    page(
      "console-second-factor-confirm",
      <GateView organization="Northwind" setUp={null} onCode={wrong} onPasskey={wrong} onSignOut={nothing} />,
    ),
    page(
      "console-forgot-password",
      <SignedOut reason="new">
        <ForgotPassword initialEmail="ada@northwind.example" onAsk={wrong} onBack={nothing} />
      </SignedOut>,
    ),
    inShell(
      "console-mail",
      "sign-in",
      <MailServerView settings={mail} mayChange onSave={refused} onRemove={nothing} onTest={refused} />,
    ),
    inShell(
      "console-mail-none",
      "sign-in",
      <MailServerView settings={null} mayChange onSave={refused} onRemove={nothing} onTest={refused} />,
    ),
    page("console-mail-server", <MailServerDialog settings={mail} onSave={refused} onClose={nothing} />),
    inShell(
      "console-second-factor-rule",
      "sign-in",
      <SecondFactorRuleView rule="required" onSet={nothing} />,
    ),
  ];
}
