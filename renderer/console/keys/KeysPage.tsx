import { useQuery } from "convex/react";
import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useMemo, useState } from "react";
import { shownPrefix } from "../../../app/format/secrets.ts";
import { api } from "../../../convex/_generated/api.js";
import type { KeyRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useCommands } from "../palette/page-commands.ts";
import { useOpened } from "../palette/use-opened.ts";
import { HandOver } from "../people/HandOver.tsx";
import { makeSecret } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { useRoute } from "../shell/route.ts";
import { KeyLimits } from "./KeyLimits.tsx";
import { KeyRights } from "./KeyRights.tsx";
import { KeysView } from "./KeysView.tsx";
import { NewKey } from "./NewKey.tsx";
import { hasOwnCertificate } from "./snippets.ts";

const none: readonly never[] = [];
const pageSize = 25;

export function KeysPage({ apiBase }: { readonly apiBase: string }): ReactNode {
  const session = useSession();
  const { id } = useRoute();
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.keys.list,
    { session, ...(id === null ? {} : { keyId: id }) },
    { initialNumItems: pageSize },
  );
  const keys = status === "LoadingFirstPage" ? undefined : results;
  const models = useQuery(api.console.models.list, { session });
  const joined = useQuery(api.console.codes.joinAddress, { session });
  const create = useAct(api.console.keys.create);
  const revoke = useAct(api.console.keys.revoke);
  const limit = useAct(api.console.keys.setLimit);
  const entitle = useAct(api.console.keys.setRights);
  const lift = useAct(api.console.keys.liftRestriction);
  const setOwner = useAct(api.console.keys.setOwner);
  const mayCreate = useScope("keys.create") !== null;
  const mayChange = useScope("keys.change") !== null;
  const mayRevoke = useScope("keys.revoke") !== null;
  const mayHandOver = useScope("keys.hand-over") !== null;
  const [handed, setHanded] = useState<KeyRow | null>(null);
  const [isNew, setIsNew] = useOpened("new-key");
  const [limited, setLimited] = useState<KeyRow | null>(null);
  const [entitled, setEntitled] = useState<KeyRow | null>(null);
  const commands = useMemo(
    () =>
      results.map((key) => ({
        id: `limits ${key.keyId}`,
        title: `Edit limits of ${key.name}`,
        run: () => setLimited(key),
      })),
    [results],
  );
  useCommands(useScope("keys.change") === null ? none : commands);
  const model = models?.find(({ retired }) => !retired)?.modelId ?? "gleaner-demo";
  return (
    <>
      <KeysView
        keys={keys}
        isOnly={id !== null}
        onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
        loadingMore={status === "LoadingMore"}
        onCreate={mayCreate ? () => setIsNew(true) : null}
        onLimit={mayChange ? setLimited : null}
        onEntitle={mayChange ? setEntitled : null}
        onLift={
          mayChange
            ? ({ keyId, name }) => void lift({ keyId }, `The restriction of ${name} was lifted.`)
            : null
        }
        onHandOver={mayHandOver ? setHanded : null}
        onRevoke={
          mayRevoke ? ({ keyId, name }) => void revoke({ keyId }, `The key for ${name} was revoked.`) : null
        }
      />
      {isNew ? (
        <NewKey
          server={{ apiBase, ownCertificate: hasOwnCertificate(apiBase, joined?.pin ?? null) }}
          model={model}
          onCreate={async (name, dataClass) => {
            const secret = makeSecret("sk-gleaner-");
            const created = await create({
              name,
              keyHash: sha256(secret),
              prefix: shownPrefix(secret),
              ...(dataClass === "" ? {} : { dataClass }),
            });
            return created ? secret : null;
          }}
          onClose={() => setIsNew(false)}
        />
      ) : null}
      {handed === null ? null : (
        <HandOver
          name={handed.name}
          owner={handed.owner}
          onSave={(owner) =>
            setOwner({ keyId: handed.keyId, owner }, `The key for ${handed.name} was handed over.`)
          }
          onClose={() => setHanded(null)}
        />
      )}
      {limited === null ? null : (
        <KeyLimits
          limited={limited}
          onSave={(limits) =>
            void limit({ keyId: limited.keyId, ...limits }, `The limits of ${limited.name} were saved.`)
          }
          onClose={() => setLimited(null)}
        />
      )}
      {entitled === null ? null : (
        <KeyRights
          limited={entitled}
          onSave={(rights) =>
            void entitle({ keyId: entitled.keyId, ...rights }, `The rights of ${entitled.name} were saved.`)
          }
          onClose={() => setEntitled(null)}
        />
      )}
    </>
  );
}
