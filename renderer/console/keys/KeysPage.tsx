import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useSession } from "../data/session-context.ts";
import { makeSecret, shownPrefix } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { KeysView } from "./KeysView.tsx";
import { NewKey } from "./NewKey.tsx";

export function KeysPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const keys = useQuery(api.admin.keys, { session });
  const devices = useQuery(api.admin.devices, { session });
  const create = useAct(api.admin.createKey);
  const revoke = useAct(api.admin.revokeKey);
  const [making, setMaking] = useState(false);
  const model = devices?.flatMap((device) => device.capabilities.models)[0] ?? "gleaner-demo";
  return (
    <>
      <KeysView
        keys={keys}
        onCreate={() => setMaking(true)}
        onRevoke={({ keyId, name }) => void revoke({ keyId }, `${name} is revoked.`)}
      />
      <NewKey
        open={making}
        apiBase={apiBase}
        model={model}
        onCreate={async (name) => {
          const secret = makeSecret("sk-gleaner-");
          const made = await create({ name, keyHash: sha256(secret), prefix: shownPrefix(secret) });
          return made ? secret : null;
        }}
        onClose={() => setMaking(false)}
      />
    </>
  );
}
