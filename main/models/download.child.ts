import type { ModelPieces, OfferedModel } from "../../app/models/catalog-entry.ts";
import { jsonLinesLog } from "../log.ts";
import { ModelCatalog } from "./catalog.ts";
import { type Models, openModels } from "./models.ts";
import { idleFacts, roomyRules, shortTimes } from "./store.fixture.ts";

/** The download, as JSON in the first argument. */
type Order = {
  readonly folder: string;
  readonly model: OfferedModel;
  readonly pieces: ModelPieces | null;
  readonly office?: { readonly secret: string; readonly multicastPort: number };
};

/**
 * A donor's models in a process that can be killed at any moment. It prints the model's state and its
 * downloaded bytes again and again.
 */
const { folder, model, pieces, office } = JSON.parse(process.argv[2] ?? "{}") as Order;
const log = jsonLinesLog((line) => process.stderr.write(line), "warn");
const catalog = new ModelCatalog(log);
const models: Models = await openModels({
  folder,
  catalog,
  log,
  pieces: async () => pieces,
  running: () => new Set(),
  onChange: () => undefined,
  times: shortTimes,
  ...(office === undefined
    ? {}
    : { officeTest: { address: "127.0.0.1", multicastPort: office.multicastPort } }),
});
catalog.onChange(() => models.store.filesChanged());
models.offer([model], office === undefined ? null : { secret: office.secret, previous: null });
models.update(idleFacts, { ...roomyRules, shareModels: office !== undefined });
setInterval(() => {
  const view = models.store.view(model);
  process.stdout.write(`${JSON.stringify({ state: view.state, held: view.downloadedBytes ?? 0 })}\n`);
}, 10);
