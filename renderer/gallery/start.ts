import { loadServerSentences } from "virtual:server-sentences";
import { startPage } from "../languages/start-page.ts";

await startPage(async (language) => {
  const sentences = await loadServerSentences(language);
  const { setServerSentences } = await import("../console/data/server-sentences.ts");
  setServerSentences(sentences);
  await import("./main.tsx");
});
