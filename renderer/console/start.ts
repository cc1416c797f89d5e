import { startPage } from "../languages/start-page.ts";

await startPage(() => import("./main.tsx"));
