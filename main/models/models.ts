import type { OfferedModel } from "../../app/models/catalogue-entry.ts";
import type { Rules } from "../../app/policy/rules.ts";
import type { GateFacts } from "./download/gate.ts";
import { ModelStore, type ModelStoreDeps, type StoreRules } from "./model-store.ts";
import { OfficeNetwork, type OfficeNetworkDeps } from "./office/office-network.ts";
import type { SharingSecrets } from "./office/secrets.ts";
import { shelfOf } from "./office/shelf.ts";

export type ModelsDeps = Omit<ModelStoreDeps, "neighbours"> & {
  readonly officeTest?: NonNullable<OfficeNetworkDeps["test"]>;
};

export type ModelsRules = StoreRules & Pick<Rules, "shareModels">;

/** A donor's models: brought in from the internet or the office, kept, and given on where the rules say so. */
export type Models = {
  readonly store: ModelStore;
  /** What the organization offers, and by what its devices know each other. */
  readonly offer: (models: readonly OfferedModel[], sharing: SharingSecrets | null) => void;
  /** New facts or rules. Cheap, to be called at every look. */
  readonly look: (facts: GateFacts, rules: ModelsRules) => void;
  readonly stop: () => Promise<void>;
};

export async function openModels(deps: ModelsDeps): Promise<Models> {
  const { log, officeTest } = deps;
  let office: OfficeNetwork | null = null;
  const store = await ModelStore.open({
    ...deps,
    neighbours: (model, pieceBytes) => office?.neighbours(model, pieceBytes) ?? null,
    onChange: () => {
      office?.filesChanged();
      deps.onChange();
    },
  });
  office = new OfficeNetwork({
    shelf: shelfOf(store),
    files: () => store.given,
    log,
    ...(officeTest === undefined ? {} : { test: officeTest }),
  });
  const network = office;
  let sharing: SharingSecrets | null = null;
  let shared = false;
  const share = (): void => network.share(shared ? sharing : null);
  return {
    store,
    offer: (models, secrets) => {
      sharing = secrets;
      share();
      store.offer(models);
    },
    look: (facts, rules) => {
      shared = rules.shareModels && facts.membership === "active";
      // Before the download: it is to find the office there.
      share();
      store.look(facts, rules);
      network.filesChanged();
    },
    stop: async () => {
      await store.stop();
      await network.stop();
    },
  };
}
