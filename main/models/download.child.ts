import { idleFacts, openStore, roomyRules } from "./store.fixture.ts";

/**
 * A process that downloads one model and can be killed at any moment: tells on standard output how many bytes it holds,
 * and ends when the model is ready. Its argument: what to download, as JSON.
 */
const { folder, model, pieces } = JSON.parse(process.argv[2] ?? "{}") as {
  folder: string;
  model: Parameters<Awaited<ReturnType<typeof openStore>>["store"]["view"]>[0];
  pieces: Parameters<typeof openStore>[1];
};
const { store } = await openStore(folder, pieces);
store.offer([model]);
store.look(idleFacts, roomyRules);
const ticks = setInterval(() => {
  const view = store.view(model);
  process.stdout.write(`${JSON.stringify({ state: view.state, held: view.downloadedBytes ?? 0 })}\n`);
  if (view.state !== "ready") return;
  clearInterval(ticks);
  void store.stop().then(() => process.exit(0));
}, 10);
