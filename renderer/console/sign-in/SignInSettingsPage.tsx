import { useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { actionColumn, RowAction } from "../../ui/RowAction.tsx";
import { Table } from "../../ui/Table.tsx";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";
import { signInHash } from "../session/organization-in-hash.ts";
import { MailServerCard } from "./MailServer.tsx";
import { emptyProvider, formOf, type ProviderSettings } from "./provider-form.ts";
import { ProviderDialog } from "./ProviderDialog.tsx";
import { SecondFactorRuleCard } from "./SecondFactorRule.tsx";

/** How the organization's members may sign in. */
export function SignInSettingsPage(): ReactNode {
  const session = useSession();
  const settings = useQuery(api.console.access.signIn.providers, { session });
  const me = useQuery(api.console.account.me, { session });
  const save = useLongAct(api.console.access.singleSignOn.save);
  const remove = useAct(api.console.access.signIn.remove);
  const mayChange = useScope("sign-in.change") !== null;
  const address = window.location.href.split("#")[0] ?? "";
  return (
    <>
      <SignInSettings
        providers={settings?.providers}
        redirectUri={settings?.redirectUri ?? ""}
        address={me == null ? "" : address + signInHash(me.organization.id)}
        mayChange={mayChange}
        onSave={async (providerId, given, secret) => {
          const clientSecret = secret === null ? {} : { clientSecret: secret };
          return await save({ providerId, settings: given, ...clientSecret }, `${given.name} was saved.`);
        }}
        onRemove={({ providerId, name }) => void remove({ providerId }, `${name} was removed.`)}
      />
      <SecondFactorRuleCard />
      <MailServerCard />
    </>
  );
}

type ProviderRow = FunctionReturnType<typeof api.console.access.signIn.providers>["providers"][number];

type Props = {
  /** Undefined while they load. */
  readonly providers: readonly ProviderRow[] | undefined;
  readonly redirectUri: string;
  /** The organization's own sign-in page. */
  readonly address: string;
  readonly mayChange: boolean;
  readonly onSave: (
    providerId: ProviderRow["providerId"] | null,
    settings: ProviderSettings,
    clientSecret: string | null,
  ) => Promise<boolean>;
  readonly onRemove: (provider: ProviderRow) => void;
};

export function SignInSettings(props: Props): ReactNode {
  const { providers, redirectUri, address, mayChange, onSave, onRemove } = props;
  const [edited, setEdited] = useState<ProviderRow | "new" | null>(null);
  const [removed, setRemoved] = useState<ProviderRow | null>(null);
  const add = mayChange ? (
    <Button size="sm" look="primary" onClick={() => setEdited("new")}>
      Add provider
    </Button>
  ) : null;
  return (
    <>
      <Card title="Sign-in page">
        <p className="mb-2 text-muted">Members of your organization sign in at this address.</p>
        <Copyable wrap text={address} label="the sign-in address" />
      </Card>
      <Card title="Single sign-on" aside={providers?.length === 0 ? null : add} flush>
        <Table
          label="Providers"
          rows={providers}
          keyOf={({ providerId }) => providerId}
          empty={
            <Empty title="No provider" action={add}>
              With Entra, Okta, Google, Keycloak or another OpenID provider, people sign in with the account
              of your organization, and its groups decide on their roles.
            </Empty>
          }
          columns={[
            {
              key: "name",
              title: "Name",
              cell: ({ name }) => <p className="min-w-28 wrap-anywhere">{name}</p>,
            },
            {
              key: "issuer",
              title: "Issuer",
              cell: ({ issuer }) => <span className="wrap-anywhere">{issuer}</span>,
            },
            {
              key: "groups",
              title: "Groups with roles",
              cell: ({ groups }) =>
                groups.map(({ group }) => (group === "*" ? /* @wc-include */ "everybody" : group)).join(", "),
            },
            {
              key: "state",
              title: "Status",
              cell: ({ enabled }) =>
                enabled ? <Badge tone="good">In use</Badge> : <Badge tone="quiet">Not in use</Badge>,
            },
            ...(mayChange
              ? [
                  actionColumn<ProviderRow>("w-max", (row) => (
                    <>
                      <RowAction verb="Change" object={row.name} onClick={() => setEdited(row)} />
                      <RowAction verb="Remove" object={row.name} onClick={() => setRemoved(row)} />
                    </>
                  )),
                ]
              : []),
          ]}
        />
      </Card>
      {edited === null ? null : (
        <ProviderDialog
          initial={edited === "new" ? emptyProvider : formOf(edited)}
          isNew={edited === "new"}
          redirectUri={redirectUri}
          onSave={async (settings, secret) =>
            await onSave(edited === "new" ? null : edited.providerId, settings, secret)
          }
          onClose={() => setEdited(null)}
        />
      )}
      {removed === null ? null : (
        <Confirm
          title={`Remove ${removed.name}?`}
          action="Remove"
          danger
          onConfirm={() => onRemove(removed)}
          onClose={() => setRemoved(null)}
        >
          Nobody can sign in with it anymore. Its members stay. Their sessions end within an hour, or 12 hours
          after they began.
        </Confirm>
      )}
    </>
  );
}
